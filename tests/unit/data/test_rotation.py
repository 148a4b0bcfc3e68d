import numpy as np
import pytest

from pdgmm.data.rotation import rotation_matrix


@pytest.mark.parametrize("theta", [15, 30, 45, -200])
@pytest.mark.parametrize("n", [2, 5, 20])
def test_is_a_rotation(n, theta):
    rotation = rotation_matrix(n, theta)
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(n), atol=1e-12)
    assert np.linalg.det(rotation) == pytest.approx(1)
    assert np.abs(rotation - np.eye(n)).max() > 0.1


def test_no_angle_is_no_rotation():
    np.testing.assert_array_equal(rotation_matrix(5, 0), np.eye(5))


def test_is_the_product_over_all_planes():
    cosine, sine = np.cos(np.pi / 6), np.sin(np.pi / 6)
    planes = [
        np.array([[cosine, -sine, 0], [sine, cosine, 0], [0, 0, 1]]),
        np.array([[cosine, 0, -sine], [0, 1, 0], [sine, 0, cosine]]),
        np.array([[1, 0, 0], [0, cosine, -sine], [0, sine, cosine]]),
    ]
    np.testing.assert_allclose(rotation_matrix(3, 30), planes[0] @ planes[1] @ planes[2], atol=1e-15)
