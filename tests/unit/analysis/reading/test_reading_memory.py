"""A sample of a large file needs little more memory than the sample."""

import json
import subprocess
import sys

import h5py
import numpy as np
import pyarrow
import pytest
from pyarrow import parquet

ROWS, COLUMNS, SAMPLED = 1_500_000, 20, 50_000
FILE_BYTES = ROWS * COLUMNS * 4

MEASURE = """
import json, sys, tracemalloc
from pathlib import Path
from pdgmm.analysis.options import ReadOptions
from pdgmm.analysis.reading.own_data import read
from pdgmm.analysis.reading.row_blocks import RowBlocks

tracemalloc.start()
data = read(sys.argv[1], ReadOptions(max_rows=int(sys.argv[2])))
rows = RowBlocks(Path(sys.argv[1]), ReadOptions(), data.columns, None)
streamed = sum(len(values) for _, values in rows)
peak = tracemalloc.get_traced_memory()[1]
if sys.argv[1].endswith(".parquet"):
    import pyarrow
    peak += pyarrow.default_memory_pool().max_memory()  # Python does not trace it.
print(json.dumps({"peak": peak, "shape": data.values.shape, "streamed": streamed}))
"""


def write_blocks():
    generator = np.random.default_rng(0)
    for _ in range(ROWS // 50_000):
        yield generator.random((50_000, COLUMNS), np.float32)


def write_hdf5(path):
    with h5py.File(path, "w") as file:
        array = file.create_dataset("x", (ROWS, COLUMNS), np.float32, chunks=(4096, COLUMNS))
        for number, block in enumerate(write_blocks()):
            array[number * 50_000 : (number + 1) * 50_000] = block


def write_parquet(path):
    names = [f"c{k}" for k in range(COLUMNS)]
    schema = pyarrow.schema([(name, pyarrow.float32()) for name in names])
    with parquet.ParquetWriter(path, schema) as writer:
        for block in write_blocks():
            writer.write_table(pyarrow.table(list(block.T), schema=schema))


@pytest.mark.parametrize(("name", "write"), [("t.h5", write_hdf5), ("t.parquet", write_parquet)])
def test_sampling_and_streaming_stay_small(tmp_path, name, write):
    path = tmp_path / name
    write(path)
    run = subprocess.run(
        [sys.executable, "-c", MEASURE, str(path), str(SAMPLED)], capture_output=True, text=True, check=True
    )
    measured = json.loads(run.stdout)
    assert measured["shape"] == [SAMPLED, COLUMNS]
    assert measured["streamed"] == ROWS
    assert measured["peak"] < 0.6 * FILE_BYTES
