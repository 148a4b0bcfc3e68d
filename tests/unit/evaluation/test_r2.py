import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression
from sklearn.metrics import r2_score

from pdgmm.errors import UserError
from pdgmm.evaluation.r2 import r2

SEEDS = st.integers(0, 2**32 - 1)


def curved(seed: int, n: int, d: int, samples: int = 120):
    """A code that is close to affine in the truth, but not affine."""
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(samples, n))
    return z, np.tanh(z @ rng.normal(size=(n, d))) + 0.2 * rng.normal(size=(samples, d)), rng


def well_conditioned(rng: np.random.Generator, n: int) -> np.ndarray:
    first, second = (np.linalg.qr(rng.normal(size=(n, n)))[0] for _ in range(2))
    return first @ np.diag(np.exp(rng.uniform(-2, 2, n))) @ second


@given(seed=SEEDS, n=st.integers(1, 6), d=st.integers(1, 6))
@settings(max_examples=60, deadline=None)
def test_agrees_with_scikit_learn(seed, n, d):
    z, z_hat, _ = curved(seed, n, d)
    model = LinearRegression().fit(z[::2], z_hat[::2])
    assert r2(z, z_hat) == pytest.approx(r2_score(z_hat[1::2], model.predict(z[1::2])), abs=1e-9)


@given(seed=SEEDS, n=st.integers(1, 6))
@settings(max_examples=60, deadline=None)
def test_invariant_under_affine_maps_of_the_truth(seed, n):
    z, z_hat, rng = curved(seed, n, n)
    moved = z @ well_conditioned(rng, n) + rng.normal(size=n)
    assert r2(moved, z_hat) == pytest.approx(r2(z, z_hat), abs=1e-8)


@given(seed=SEEDS, n=st.integers(1, 6))
@settings(max_examples=60, deadline=None)
def test_invariant_under_scale_shift_and_order_of_the_code(seed, n):
    z, z_hat, rng = curved(seed, n, n)
    scale = rng.choice([-1.0, 1.0], n) * np.exp(rng.uniform(-5, 5, n))
    moved = (z_hat * scale + rng.normal(size=n))[:, rng.permutation(n)]
    assert r2(z, moved) == pytest.approx(r2(z, z_hat), abs=1e-8)


def test_empty_latents_beyond_the_true_ones_cost_nothing_and_missing_ones_do():
    z, z_hat, _ = curved(seed=1, n=4, d=4)
    empty = np.zeros((len(z), 6))
    assert r2(z, np.column_stack([z_hat, empty])) == pytest.approx(r2(z, z_hat))
    assert r2(z, np.column_stack([z[:, :3], empty])) == pytest.approx(3 / 4), "a latent was lost"
    noise = np.random.default_rng(0).normal(size=(len(z), 2))
    assert r2(z, np.column_stack([z, noise])) < 0.75, "extra latents that are not empty count"


@pytest.mark.parametrize("noise", [0.1, 0.5, 2.0, 1e6])
def test_noise_of_known_size_gives_a_known_value(noise):
    rng = np.random.default_rng(0)
    z = rng.normal(size=(200_000, 3))
    assert r2(z, z + noise * rng.normal(size=z.shape)) == pytest.approx(1 / (1 + noise**2), abs=0.01)


def test_constant_learned_latents_count_as_zero():
    z = np.random.default_rng(0).normal(size=(100, 2))
    assert r2(z, np.column_stack([z[:, 0], np.full(100, 0.1)])) == pytest.approx(0.5)
    assert r2(z, np.full((100, 2), 0.1)) == 0.0


def test_constant_true_latents_explain_nothing_and_break_nothing():
    z = np.random.default_rng(0).normal(size=(100, 2))
    z[:, 1] = 0.1
    assert r2(z, z[:, :1]) == pytest.approx(1.0)


def test_too_few_samples_and_nan_are_named():
    z = np.random.default_rng(0).normal(size=(11, 5))
    with pytest.raises(UserError, match="5 true latents needs at least 12 samples, there are 11"):
        r2(z, z)
    with pytest.raises(UserError, match="NaN"):
        r2(np.zeros((20, 2)), np.full((20, 2), np.nan))
