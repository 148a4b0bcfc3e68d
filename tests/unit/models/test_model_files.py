"""Model files: what is saved comes back, what is damaged or foreign is named."""

import json

import numpy as np
import pytest

from pdgmm.errors import FitFailed, UserError
from pdgmm.models.model_files import DESCRIPTION, TENSORS, FittedModel, load_model, read_notes, save_model
from pdgmm.store.checked_json import CHECKSUM, write_checked_json


def test_model_notes_and_claims_survive(model, folder):
    found = load_model(folder)
    x = np.random.default_rng(0).normal(size=(50, 4))
    np.testing.assert_array_equal(found.usable().encode(x), model.encode(x))
    assert found.notes == read_notes(folder) == {"seconds": 1.5, "by step": {"10": 1, "9": 2}}
    assert set(found.claims) == {"supports"}
    assert found.claims["supports"].dtype == np.uint8
    np.testing.assert_array_equal(found.claims["supports"], np.eye(3)[::-1])


def test_a_failed_fit_comes_back_as_a_failure(tmp_path):
    save_model(tmp_path, FittedModel(None, FitFailed("diverged", "loss was nan"), {}))
    with pytest.raises(FitFailed, match="diverged: loss was nan"):
        load_model(tmp_path).usable()


@pytest.mark.parametrize("name", [TENSORS, DESCRIPTION])
def test_a_missing_file_is_named(folder, name):
    (folder / name).unlink()
    with pytest.raises(UserError, match=f"{name} does not exist"):
        load_model(folder)


NETWORK = "pdgmm.methods.autoencoder_training:LeakyAutoencoder"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"kind": "exec"}, "'exec'"),
        ({"kind": "affine"}, "coder"),
        ({"notes": []}, "not the description"),
        (
            {"settings": {"network": "torch.nn:Linear", "arguments": {}}},
            "'torch.nn:Linear' is not one of",
        ),
        ({"settings": {"network": "pdgmm.methods_of_others:A", "arguments": {}}}, "not one of pdgmm.methods"),
        ({"settings": {"network": "pdgmm.methods.fastica:FastICA", "arguments": {}}}, "not a CodingNetwork"),
        ({"settings": {"network": "pdgmm.methods.fastica:quoted", "arguments": {}}}, "quoted"),
        ({"settings": {"network": "pdgmm.methods.nothing:A", "arguments": {}}}, "nothing"),
        (
            {"settings": {"network": NETWORK, "arguments": {"sizes": [4, 10, 3], "slope": 0.02}}},
            "does not fit",
        ),
        ({"settings": {"network": NETWORK, "arguments": {"width": 3}}}, "width"),
    ],
)
def test_a_description_of_something_else_is_named(folder, changes, said):
    path = folder / DESCRIPTION
    content = json.loads(path.read_text()) | changes
    del content[CHECKSUM]
    write_checked_json(path, content)
    with pytest.raises(UserError, match=rf"{DESCRIPTION} .*{said}"):
        load_model(folder)
