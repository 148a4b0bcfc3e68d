"""A dataset is written whole or not at all."""

import json

import pytest

from pdgmm.errors import UserError
from pdgmm.steps.generate import generate_dataset


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_samples_that_are_not_finite_are_no_dataset(tmp_path):
    settings = json.dumps({"n": 5, "delta": 1e308, "samples": {"train": 50}})
    with pytest.raises(UserError, match="train/x .*not finite"):
        generate_dataset("pdgmm", settings, 0, tmp_path / "seed-0.h5")
    assert list(tmp_path.iterdir()) == []
