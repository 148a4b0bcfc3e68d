"""The tables that the benchmark fits hold what was drawn, however many blocks they were written in."""

import huge_tables
import numpy as np
import pytest

from pdgmm.analysis.reading.own_data import read


@pytest.mark.parametrize("kind", huge_tables.WRITERS)
def test_a_table_holds_every_block_in_order(kind, tmp_path, monkeypatch):
    monkeypatch.setattr(huge_tables, "BLOCK", 500)
    drawn = np.vstack(list(huge_tables.drawn_blocks(1_200)))
    huge_tables.WRITERS[kind](tmp_path / f"table{kind}", huge_tables.drawn_blocks(1_200), 1_200)
    assert drawn.shape == (1_200, huge_tables.COLUMNS)
    np.testing.assert_array_equal(read(tmp_path / f"table{kind}").values, drawn)
