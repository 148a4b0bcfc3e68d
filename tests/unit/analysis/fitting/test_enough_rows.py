"""Fewer rows than the columns ask for, and fewer than the user does."""

import numpy as np
import pytest

from pdgmm.analysis.fitting.run_analysis import check_rows, run_analysis
from pdgmm.analysis.options import AnalysisOptions, ReadOptions
from pdgmm.errors import UserError
from pdgmm.estimator import PDGMM


@pytest.mark.parametrize(
    ("rows", "columns", "asked", "said"),
    [
        (200, 30, 17, "too many for 200 rows: give at least 213 rows, or ask for at most 16 latents"),
        (200, 5, 6, "more than the data have columns: ask for at most 5"),
        (8, 3, None, "8 rows are too few for even one latent: give at least 13"),
    ],
)
def test_too_few_rows_are_one_message(rows, columns, asked, said):
    with pytest.raises(UserError, match=said):
        check_rows(rows, columns, asked)


@pytest.mark.parametrize(("rows", "asked"), [(200, 16), (213, 17), (13, 1), (5000, None)])
def test_what_the_message_allows_is_allowed(rows, asked):
    check_rows(rows, 30, asked)


def test_nothing_is_fitted_or_written_before_the_rows_are_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(PDGMM, "fit", lambda *_: pytest.fail("fitted"))
    np.save(tmp_path / "wide.npy", np.random.default_rng(0).normal(size=(200, 30)))
    with pytest.raises(UserError, match="--n-latents 25"):
        run_analysis(tmp_path / "wide.npy", tmp_path / "study", ReadOptions(), AnalysisOptions(n_latents=25))
    assert not (tmp_path / "study").exists(), "another number may be asked for in the same folder"
