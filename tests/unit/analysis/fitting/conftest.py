"""A small study that the tests share."""

import numpy as np
import pandas as pd
import pytest

from pdgmm.analysis.reading.read_options import ReadOptions
from pdgmm.analysis.fitting.analysis_options import StudyOptions
from pdgmm.analysis.fitting.run_analysis import run_study


@pytest.fixture(scope="session")
def table():
    """Columns a to d, 1500 rows, of three latents that rest at 0 in four of ten rows; and the latents."""
    rng = np.random.default_rng(0)
    z = rng.normal(size=(1500, 3)) * (rng.random((1500, 3)) < 0.6)
    frame = pd.DataFrame(z @ rng.normal(size=(3, 4)), columns=["a", "b", "c", "d"])
    return frame, z


@pytest.fixture(scope="module")
def study(table, tmp_path_factory):
    """A folder with ``data.csv`` and its ``study``, and the answers."""
    folder = tmp_path_factory.mktemp("own")
    table[0].to_csv(folder / "data.csv", index=False)
    options = StudyOptions(quick=True, n_latents=3)
    return folder, run_study(folder / "data.csv", folder / "study", ReadOptions(), options)
