"""Tables with more rows than should be held in memory: the cost of `pdgmm fit --quick` and `pdgmm encode`."""

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from render import csv_text
from scaling.timed_process import timed

from pdgmm.workflow_support.environment import thread_counts

COLUMNS = 20
TABLES = ((".h5", 1_000_000), (".h5", 10_000_000), (".parquet", 10_000_000))
"""File endings and numbers of rows; all rows of the first table are used in the fit."""

BLOCK = 500_000
"""Rows written at a time."""

PDGMM = [sys.executable, "-m", "pdgmm"]


class Cost(NamedTuple):
    """Seconds and peak megabytes of both commands, on a table of ``rows`` rows in a file of ``file_mb`` megabytes."""

    kind: str
    rows: int
    file_mb: float
    fit_seconds: float
    fit_mb: float
    encode_seconds: float
    encode_mb: float


def write_hdf5(path: Path, blocks: Iterator[np.ndarray], rows: int) -> None:
    """The blocks as one array ``X``."""
    import h5py

    with h5py.File(path, "w") as file:
        array, done = file.create_dataset("X", (rows, COLUMNS), np.float32), 0
        for block in blocks:
            array[done : done + len(block)] = block
            done += len(block)


def write_parquet(path: Path, blocks: Iterator[np.ndarray], rows: int) -> None:
    """The blocks as row groups."""
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter

    names = [f"x{column}" for column in range(COLUMNS)]
    with ParquetWriter(path, pa.schema([(name, pa.float32()) for name in names])) as writer:
        for block in blocks:
            writer.write_table(pa.table(list(block.T.copy()), names=names))


WRITERS = {".h5": write_hdf5, ".parquet": write_parquet}


def drawn_blocks(rows: int) -> Iterator[np.ndarray]:
    """Observations (BLOCK, COLUMNS) of one world at the base setting, until there are ``rows``."""
    from pdgmm.data import generator_class

    world, rng = generator_class("pdgmm")(n=COLUMNS).build(0), np.random.default_rng(0)
    for begin in range(0, rows, BLOCK):
        yield world.sample("train", min(BLOCK, rows - begin), rng)["x"]


def measured(kind: str, rows: int, folder: Path) -> Cost:
    """Write a table, fit it as a user would, and encode all of it."""
    table, study = folder / f"table{kind}", folder / f"study{kind}-{rows}"
    # In a separate process: the peak memory of a command is at least that of the process that starts it.
    timed([sys.executable, __file__, str(table), str(rows)])
    fit = timed([*PDGMM, "fit", str(table), "--out", str(study), "--quick"], **thread_counts(1))
    encode = timed(
        [*PDGMM, "encode", str(study), str(table), "--out", str(folder / "latents.npy")], **thread_counts(1)
    )
    size = table.stat().st_size / 2**20
    return Cost(kind, rows, size, fit.seconds, fit.memory_mb, encode.seconds, encode.memory_mb)


def measure_huge_tables() -> tuple[str, str]:
    """A section of the page, and the same as CSV."""
    with tempfile.TemporaryDirectory() as folder:
        costs = [measured(kind, rows, Path(folder)) for kind, rows in TABLES]
    lines = [
        "## Huge tables",
        "",
        f"`pdgmm fit --quick` and `pdgmm encode` on tables of {COLUMNS} columns. A million rows drawn at random are "
        "fitted, every row is encoded.",
        "",
        "| file | rows | size | fit | peak | encode | peak |",
        "|---|---:|---:|---:|---:|---:|---:|",
        *(
            f"| `{one.kind}` | {one.rows:,} | {one.file_mb:,.0f} MB | {one.fit_seconds:,.0f} s "
            f"| {one.fit_mb:,.0f} MB | {one.encode_seconds:,.0f} s | {one.encode_mb:,.0f} MB |"
            for one in costs
        ),
        "",
    ]
    rows = [[value if isinstance(value, str) else round(value, 1) for value in one] for one in costs]
    return "\n".join(lines), csv_text(Cost._fields, rows)


def main() -> None:
    """Write one table: ``huge_tables.py FILE ROWS``."""
    path, rows = Path(sys.argv[1]), int(sys.argv[2])
    WRITERS[path.suffix](path, drawn_blocks(rows), rows)


if __name__ == "__main__":
    main()
