import numpy as np
import pytest

from pdgmm.models.affine_model import AffineModel
from pdgmm.models.identity_model import IdentityModel
from pdgmm.models.model_files import FittedModel, load_model, save_model

RNG = np.random.default_rng(0)


def test_the_map():
    encoder = AffineModel(np.array([1.0, 2.0]), np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]]), np.ones(3))
    np.testing.assert_allclose(encoder.encode(np.array([[2.0, 4.0]])), [[2.0, 5.0, 4.0]])


def test_without_an_offset_the_mean_goes_to_zero():
    encoder = AffineModel(np.array([1.0, 2.0]), np.eye(2))
    np.testing.assert_array_equal(encoder.encode(np.array([[1.0, 2.0]])), [[0.0, 0.0]])


@pytest.mark.parametrize(
    "parts",
    [(np.zeros(3), np.eye(2)), (np.zeros(2), np.zeros(2)), (np.zeros(2), np.eye(2), np.zeros(3))],
)
def test_shapes_that_do_not_fit_are_an_error(parts):
    with pytest.raises(ValueError, match="fit together"):
        AffineModel(*parts)


@pytest.mark.parametrize(
    "encoder",
    [IdentityModel(), AffineModel(RNG.normal(size=3), RNG.normal(size=(2, 3)), RNG.normal(size=2))],
)
def test_saved_and_restored_it_encodes_the_same_bits(encoder, tmp_path):
    x = RNG.normal(size=(10, 3)).astype(np.float32)
    save_model(tmp_path, FittedModel(encoder, None, {}))
    restored = load_model(tmp_path).usable()
    assert restored.encode(x).dtype == np.float32
    np.testing.assert_array_equal(restored.encode(x), encoder.encode(x))
