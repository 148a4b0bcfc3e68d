"""A dataset and a model to be damaged."""

import json

import numpy as np
import pytest

from pdgmm.models.affine_model import AffineModel
from pdgmm.models.model_files import FittedModel, save_model
from pdgmm.steps.generate import generate_dataset

SAMPLES = {"train": 200, "test": 20, "unmasked": 20, "independent": 20}


@pytest.fixture(scope="module")
def dataset_bytes(tmp_path_factory):
    path = tmp_path_factory.mktemp("dataset") / "seed-0.h5"
    generate_dataset("pdgmm", json.dumps({"n": 4, "m": 2, "samples": SAMPLES}), 0, path)
    return path.read_bytes()


@pytest.fixture
def model_folder(tmp_path):
    model = AffineModel(np.zeros(3), np.eye(3))
    save_model(tmp_path, FittedModel(model, None, {"seconds": 1.5, "by step": {10: 1, 9: 2}}))
    return tmp_path
