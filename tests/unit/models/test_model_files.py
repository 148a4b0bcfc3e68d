"""Model files: what is saved comes back, what is damaged is named."""

import json

import numpy as np
import pytest

from pdgmm.errors import FitFailed, UserError
from pdgmm.models.affine_model import AffineModel
from pdgmm.models.model_files import DESCRIPTION, TENSORS, FittedModel, load_model, save_model


@pytest.fixture
def folder(tmp_path):
    encoder = AffineModel(np.array([1.0, 2.0]), np.array([[1.0, 0.5], [0.0, 2.0]]))
    save_model(tmp_path, FittedModel(encoder, None, {"seconds": 1.5}))
    return tmp_path


def test_round_trip(folder):
    model = load_model(folder)
    x = np.array([[3.0, 4.0]])
    np.testing.assert_allclose(model.usable().encode(x), [[3.0, 4.0]])
    assert model.notes == {"seconds": 1.5}


def test_a_failed_fit_comes_back_as_a_failure(tmp_path):
    save_model(tmp_path, FittedModel(None, FitFailed("diverged", "loss was nan"), {}))
    with pytest.raises(FitFailed, match="loss was nan"):
        load_model(tmp_path).usable()


@pytest.mark.parametrize("name", [TENSORS, DESCRIPTION])
def test_a_missing_or_truncated_file_is_named(folder, name):
    content = (folder / name).read_bytes()
    (folder / name).write_bytes(content[: len(content) // 2])
    with pytest.raises(UserError, match=rf"{name} is damaged.*rm '"):
        load_model(folder)
    (folder / name).unlink()
    with pytest.raises(UserError, match=f"{name} does not exist"):
        load_model(folder)


def test_a_flipped_bit_is_noticed(folder):
    content = bytearray((folder / TENSORS).read_bytes())
    content[-3] ^= 1
    (folder / TENSORS).write_bytes(content)
    with pytest.raises(UserError, match="checksum"):
        load_model(folder)


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("format_version", 2, "format version 2"),
        ("kind", "exec", "unknown kind 'exec'"),
        ("kind", "network", "fit"),
    ],
)
def test_a_foreign_description_is_named(folder, key, value, words):
    path = folder / DESCRIPTION
    path.write_text(json.dumps(json.loads(path.read_text()) | {key: value}))
    with pytest.raises(UserError, match=words):
        load_model(folder)
