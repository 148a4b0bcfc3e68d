import numpy as np
import pytest

from pdgmm.data.mixing import Mixing, random_mixing
from pdgmm.errors import UserError


def latents(n, count=500):
    return 3 * np.random.default_rng(7).standard_normal((count, n))


@pytest.mark.parametrize("activation", ["leaky", "smooth_leaky"])
@pytest.mark.parametrize(
    ("n", "x_dim", "layers"), [(10, 10, 10), (5, 5, 20), (5, 12, 10), (3, 4, 1), (2, 2, 2)]
)
def test_inverse_undoes_the_mixing(n, x_dim, layers, activation):
    mixing = random_mixing(n, x_dim, layers, np.random.default_rng(0), activation)
    z = latents(n)
    x = mixing(z)
    assert x.shape == (len(z), x_dim)
    np.testing.assert_allclose(mixing.inverse(x), z, atol=1e-8)


@pytest.mark.parametrize("x_dim", [5, 9])
def test_inverse_of_few_sigmoid_layers_on_their_image_only(x_dim):
    mixing = random_mixing(5, x_dim, 4, np.random.default_rng(0), "sigmoid")
    np.testing.assert_allclose(mixing.inverse(mixing(latents(5))), latents(5), atol=1e-8)
    with pytest.raises(UserError, match="only on its image"):
        mixing.inverse(mixing(latents(5)) + 10)


@pytest.mark.parametrize(
    ("activation", "slope", "expected"),
    [
        ("leaky", 0.5, [-1.0, 3.0]),
        ("leaky", 1.5, [-2.0, 4.5]),
        ("smooth_leaky", 0.5, [-1 + 0.5 * np.log1p(np.exp(-2)), 1.5 + 0.5 * np.log1p(np.exp(3))]),
        ("sigmoid", 0.5, [1 / (1 + np.exp(2)), 1 / (1 + np.exp(-3))]),
    ],
)
def test_activation_by_hand(activation, slope, expected):
    mixing = Mixing(np.eye(2), np.eye(2)[None], np.array([slope]), activation)
    np.testing.assert_allclose(mixing(np.array([[-2.0, 3.0]])), [expected])


def test_layers_alternate_weight_and_activation():
    mixing = random_mixing(3, 5, 3, np.random.default_rng(0))
    z = latents(3)
    first = z @ mixing.embedding
    second = np.maximum(mixing.slopes[0] * first, first) @ mixing.weights[0]
    third = np.maximum(mixing.slopes[1] * second, second) @ mixing.weights[1]
    np.testing.assert_allclose(mixing(z), third)


def test_weights_have_orthonormal_rows_and_slopes_their_range():
    mixing = random_mixing(4, 6, 200, np.random.default_rng(0))
    np.testing.assert_allclose(mixing.embedding @ mixing.embedding.T, np.eye(4), atol=1e-12)
    np.testing.assert_allclose(
        mixing.weights @ mixing.weights.mT, np.broadcast_to(np.eye(6), (199, 6, 6)), atol=1e-12
    )
    assert mixing.embedding.shape == (4, 6)
    assert 0.5 <= mixing.slopes.min() < 0.55
    assert 1.45 < mixing.slopes.max() <= 1.5


def test_weights_are_uniformly_distributed():
    # QR without the sign correction gives a first entry that is always negative.
    weights = random_mixing(3, 3, 2001, np.random.default_rng(0)).weights
    assert np.abs(weights.mean(axis=0)).max() < 4 * np.sqrt(1 / 3 / 2000)
