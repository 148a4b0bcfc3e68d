"""Latents of new rows, in both kinds of files."""

import json
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from pdgmm.analysis.fitting.encoding import encode_file, write_npy
from pdgmm.analysis.options import ReadOptions
from pdgmm.analysis.reading import source
from pdgmm.cli.main import cli
from pdgmm.errors import UserError


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(source, "BLOCK_VALUES", 400)  # a hundred rows


@pytest.fixture
def gaps(table, tmp_path):
    """The table as Parquet, every tenth row with a missing value."""
    values = table[0].to_numpy().copy()
    values[::10, 1] = np.nan
    pd.DataFrame(values, columns=table[0].columns).to_parquet(tmp_path / "gaps.parquet")
    return tmp_path / "gaps.parquet"


def test_an_array_grows_block_by_block_and_nothing_of_it_stays_in_memory(tmp_path):
    path, block, sizes = tmp_path / "latents.npy", np.arange(60_000.0).reshape(20_000, 3), []

    def blocks():
        for number in range(8):
            sizes.append(path.stat().st_size)
            yield np.arange(len(block)), block + number

    tracemalloc.start()
    count = write_npy(path, blocks())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3 * block.nbytes
    assert (np.diff(sizes[1:]) == block.nbytes).all()
    array = np.load(path)
    assert array.shape == (count, 3) == (160_000, 3)
    np.testing.assert_array_equal(array[-len(block) :], block + 7)


def test_rows_that_are_left_out_shorten_the_array_and_are_counted(finished, gaps, tmp_path, small_blocks):
    folder, _ = finished
    reading = ReadOptions(missing="drop")
    done = encode_file(folder / "study", gaps, tmp_path / "latents.npy", reading)
    assert (done.rows, done.latents) == (1350, 3)
    assert done.notes == ("150 of 1,500 rows have missing values and were left out.",)
    encode_file(folder / "study", gaps, tmp_path / "latents.csv", reading)
    csv = pd.read_csv(tmp_path / "latents.csv", index_col=0)
    np.testing.assert_allclose(np.load(tmp_path / "latents.npy"), csv, atol=1e-9)
    assert csv.index[0] == 1, "rows keep their numbers"


def test_a_file_without_any_complete_row_leaves_nothing(finished, tmp_path):
    folder, _ = finished
    pd.DataFrame(np.full((5, 4), np.nan), columns=list("abcd")).to_parquet(tmp_path / "empty.parquet")
    for ending in ("csv", "npy"):
        with pytest.raises(UserError, match="no row without missing values"):
            encode_file(
                folder / "study",
                tmp_path / "empty.parquet",
                tmp_path / f"latents.{ending}",
                ReadOptions(missing="drop"),
            )
    assert [path.name for path in tmp_path.iterdir()] == ["empty.parquet"]


def test_the_command_says_what_was_ignored(finished, table, tmp_path):
    folder, _ = finished
    table[0].assign(more=1.0).to_csv(tmp_path / "wide.csv", index=False)
    call = ["encode", str(folder / "study"), str(tmp_path / "wide.csv"), "--out", str(tmp_path / "z.csv")]
    printed = json.loads(CliRunner().invoke(cli, [*call, "--json"], catch_exceptions=False).stdout)
    assert printed == {
        "file": str(tmp_path / "z.csv"),
        "rows": 1500,
        "latents": 3,
        "notes": ["1 columns that the model does not know were ignored: 'more'."],
    }
