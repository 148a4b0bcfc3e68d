"""A small analysis that the tests share."""

import shutil

import numpy as np
import pandas as pd
import pytest

from pdgmm.analysis.fitting.run_analysis import run_analysis
from pdgmm.analysis.options import AnalysisOptions, ReadOptions
from pdgmm.estimator import PDGMM

QUICK = AnalysisOptions(quick=True, n_latents=3)


@pytest.fixture(scope="session")
def table():
    """Columns a to d, 1500 rows, of three latents that rest at 0 in four of ten rows; and the latents."""
    rng = np.random.default_rng(0)
    z = rng.normal(size=(1500, 3)) * (rng.random((1500, 3)) < 0.6)
    frame = pd.DataFrame(z @ rng.normal(size=(3, 4)), columns=["a", "b", "c", "d"])
    return frame, z


@pytest.fixture(scope="session")
def finished(table, tmp_path_factory):
    """A folder with ``data.csv`` and its ``study``, and the answers."""
    folder = tmp_path_factory.mktemp("own")
    table[0].to_csv(folder / "data.csv", index=False)
    return folder, run_analysis(folder / "data.csv", folder / "study", ReadOptions(), QUICK)


@pytest.fixture
def copied(finished, tmp_path):
    """A copy to be damaged, in a folder whose name a shell must not take apart."""
    return shutil.copytree(finished[0], tmp_path / "Anna's")


@pytest.fixture
def fits(monkeypatch):
    """The estimators that were fitted during the test, in a list."""
    fit, calls = PDGMM.fit, []

    def counted(self, x, y=None):
        calls.append(self)
        return fit(self, x, y)

    monkeypatch.setattr(PDGMM, "fit", counted)
    return calls
