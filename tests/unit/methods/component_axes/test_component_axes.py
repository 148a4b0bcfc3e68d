"""Theorem E.1: exact on exact covariances, and as a method on samples."""

import numpy as np
import pytest

from pdgmm.data.mixture_recovery import DiagonalMixture, MixtureRecovery
from pdgmm.errors import UserError
from pdgmm.evaluation.mcc import mcc
from pdgmm.fitting.run import Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods.component_axes.component_axes import ComponentAxes
from pdgmm.methods.component_axes.covariance_axes import covariance_axes, pair_axes

RNG = np.random.default_rng(0)
MIXING = np.array([[1.0, 0.9, -0.4], [-0.8, 1.0, 0.9], [0.7, -0.8, 1.0]])
VARIANCES = np.array([[1.0, 2.0, 0.5], [3.0, 0.4, 1.0], [0.7, 0.7, 2.0]])


def is_permutation_and_scale(matrix):
    largest = np.abs(matrix) / np.abs(matrix).max(axis=1, keepdims=True)
    return bool(((largest > 1e-6).sum(axis=0) == 1).all() and ((largest > 1e-6).sum(axis=1) == 1).all())


def test_generalised_eigenvectors_undo_any_linear_map():
    one, other = (MIXING @ np.diag(variances) @ MIXING.T for variances in VARIANCES[:2])
    directions, ratios = pair_axes(one, other)
    assert is_permutation_and_scale(directions @ MIXING)
    np.testing.assert_allclose(ratios, np.sort(VARIANCES[1] / VARIANCES[0]))


@pytest.mark.parametrize("count", [2, 3])
def test_all_components_are_diagonal_along_the_axes(count):
    covariances = np.array([MIXING @ np.diag(variances) @ MIXING.T for variances in VARIANCES[:count]])
    axes = covariance_axes(covariances, np.array([0.2, 0.5, 0.3])[:count])
    assert is_permutation_and_scale(np.round(axes.directions @ MIXING, 5))
    assert axes.gap == pytest.approx(np.diff(np.log(axes.ratios)).min())


def test_latents_with_equal_ratios_cannot_be_told_apart_and_the_gap_says_so():
    variances = np.array([[1.0, 2.0, 0.5], [2.0, 4.0, 0.1]])
    axes = covariance_axes(np.array([MIXING @ np.diag(one) @ MIXING.T for one in variances]))
    assert axes.gap == pytest.approx(0, abs=1e-6)
    with pytest.raises(ValueError, match="at least two"):
        covariance_axes(np.eye(2)[None])


@pytest.fixture(scope="module")
def latents():
    mixture = DiagonalMixture(
        np.array([0.4, 0.6]), np.array([[-2.0, 0, 1], [2, 1, -1]]), np.sqrt(VARIANCES[:2])
    )
    return mixture.sample(6000, np.random.default_rng(1))[0]


@pytest.mark.parametrize("components", [2, None, 4])
def test_samples_of_a_mixed_mixture_give_single_latents(latents, components):
    x = (latents @ MIXING.T + 3).astype(np.float32)
    run = Run(seed=0)
    fitted = ComponentAxes(components=components, most_components=3, starts=1).fit(Samples(x, 3), run)
    code = fitted.model.encode(x)
    assert mcc(latents, x).mcc < 0.9
    assert mcc(latents, code).mcc > (0.99 if components != 4 else 0.95)
    np.testing.assert_allclose(code.std(axis=0), 1, rtol=0.05)
    assert run.notes["identified"]
    claimed = fitted.claims["mixture_weights"] @ fitted.claims["mixture_means"]
    np.testing.assert_allclose(claimed, code.mean(axis=0), atol=0.05)


@pytest.mark.parametrize("draw", [100, 101, 102, 103, 104])
def test_affine_maps_of_the_latents_of_recovery_sets_give_single_latents(draw):
    z = MixtureRecovery(n=2).world(draw).sample("train", 6000, np.random.default_rng(draw))["z"]
    x = (z @ np.array([[1.0, 0.8], [-0.6, 1.0]]) + 2).astype(np.float32)
    code = ComponentAxes(starts=1).fit(Samples(x, 2), Run(seed=0)).model.encode(x)
    assert mcc(z, code).mcc > 0.95


def test_one_component_is_only_whitened_and_says_so():
    x = RNG.normal(size=(2000, 2)).astype(np.float32)
    run = Run(seed=0)
    ComponentAxes(components=1).fit(Samples(x, 2), run)
    assert run.notes["identified"] is False
    with pytest.raises(UserError, match="3 latents in 2 dimensions"):
        ComponentAxes().fit(Samples(x, 3), run)
