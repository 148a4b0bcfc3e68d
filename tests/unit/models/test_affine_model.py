import numpy as np
import pytest

from pdgmm.models.affine_model import AffineModel, IdentityModel


def test_the_map_and_its_inverse():
    model = AffineModel(np.array([1.0, 2.0]), np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]]), np.ones(3))
    np.testing.assert_allclose(model.encode(np.array([[2.0, 4.0]])), [[2.0, 5.0, 4.0]])
    np.testing.assert_allclose(model.decode(np.array([[2.0, 5.0, 4.0]])), [[2.0, 4.0]], rtol=1e-6)


def test_without_an_offset_the_mean_goes_to_zero_and_further_coordinates_are_zero():
    model = AffineModel(np.array([1.0, 2.0]), np.eye(2))
    np.testing.assert_array_equal(model.encode(np.array([[1.0, 2.0]])), [[0.0, 0.0]])
    np.testing.assert_array_equal(model.padded(4).encode(np.array([[2.0, 5.0]])), [[1.0, 3.0, 0.0, 0.0]])


@pytest.mark.parametrize(
    "parts",
    [(np.zeros(3), np.eye(2)), (np.zeros(2), np.zeros(2)), (np.zeros(2), np.eye(2), np.zeros(3))],
)
def test_shapes_that_do_not_fit_are_an_error(parts):
    with pytest.raises(ValueError, match="fit together"):
        AffineModel(*parts)


@pytest.mark.parametrize(
    ("model", "volume"), [(IdentityModel(), 0), (AffineModel(np.zeros(2), 3 * np.eye(2)), np.log(9))]
)
def test_the_volume_factor_of_a_map(model, volume):
    code, others, log_det = model.mapped(np.ones((5, 2)))
    np.testing.assert_array_equal(code, model.encode(np.ones((5, 2))))
    assert others.shape == (5, 0)
    np.testing.assert_allclose(log_det, np.full(5, volume))
