"""The objective of `ddl` at the true latents: likelihood and penalty, as by their formulas."""

import importlib.util
import json
from pathlib import Path

import h5py
import numpy as np
import pytest

from pdgmm.data import generator_class
from pdgmm.fitting.whitening import principal_whitening
from pdgmm.steps.generate import generate_dataset

SCRIPT = Path(__file__).parents[3] / "benchmarks" / "ddl_objective.py"


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("ddl_objective", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_objective_at_the_truth_is_that_of_its_formula(script, tmp_path):
    settings = {"n": 3, "family": "triangular", "samples": {"train": 500, "test": 10}}
    path = tmp_path / "data.h5"
    generate_dataset("dependency", json.dumps(settings), 7, path)
    with h5py.File(path) as file:
        x, z = file["train/x"][:], file["train/z"][:].astype(float)
    order = script.child_generator(script.child_seed(7, "fit", "ddl"), "held out").permutation(500)
    held_out, training = order[:100], order[100:]
    jacobian = generator_class("dependency")(**settings).build(7).outputs.jacobian(z[held_out])
    back = principal_whitening(x[training], 3).inverse
    volume = np.linalg.slogdet(jacobian)[1].mean() - np.linalg.slogdet(back)[1]
    likelihood = (z[held_out] ** 2).sum(axis=1).mean() / 2 + volume
    assert script.at_the_truth(path, 7, 0.0) == pytest.approx(likelihood, abs=1e-4)
    sizes = np.sqrt((jacobian**2).mean(axis=0)) * z[held_out].std(axis=0, ddof=1)
    penalty = np.log(sizes / x[training].std(axis=0)[:, None] + 0.05).sum()
    # Zero entries count as 0.0001 there, so that their root has a gradient.
    assert script.at_the_truth(path, 7, 0.1) == pytest.approx(likelihood + 0.1 * penalty, abs=2e-3)
