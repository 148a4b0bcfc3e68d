"""Factors and noise, and how probable new rows are with them."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from pdgmm.analysis.diagnostics.factor_noise import LEAST_NOISE, fit_factors
from pdgmm.analysis.diagnostics.noisy_likelihood import held_out_likelihoods, without_steps
from pdgmm.estimator import PDGMM

NOISE = np.array([0.3, 0.5, 0.4, 0.6, 0.2, 0.5, 0.4])


@pytest.fixture
def loadings():
    return (
        0.7
        * np.random.default_rng(3).uniform(0.6, 1.4, size=(7, 2))
        * np.array([[1, 1], [1, -1]] * 3 + [[1, 1]])
    )


def test_the_noise_of_every_column_is_found(loadings):
    found = fit_factors(np.zeros(7), loadings @ loadings.T + np.diag(NOISE**2), 2)
    np.testing.assert_allclose(found.noise, NOISE, rtol=0.05)
    assert found.rest == pytest.approx(1.0, abs=0.02)


def test_factors_and_noise_together_are_the_density_of_a_row(loadings):
    covariance = loadings @ loadings.T + np.diag(NOISE**2)
    rows = np.random.default_rng(4).multivariate_normal(np.ones(7), covariance, 50)
    factors = fit_factors(np.ones(7), covariance, 2)
    inside, other = factors.project(rows)
    scaled = factors.axes @ (covariance / np.outer(factors.noise, factors.noise)) @ factors.axes.T
    density = multivariate_normal(np.zeros(2), scaled).logpdf(inside) + other
    np.testing.assert_allclose(density, multivariate_normal(np.ones(7), covariance).logpdf(rows), atol=0.05)


@pytest.mark.parametrize("n", [1, 2, 4], ids="{} factors".format)
def test_a_column_without_noise_of_its_own_keeps_a_little(n):
    column = np.random.default_rng(5).normal(size=(400, 4))
    column[:, 1] = column[:, 0]
    found = fit_factors(np.zeros(4), np.cov(column, rowvar=False), n)
    assert np.isfinite(found.axes).all()
    assert (found.noise**2 >= 0.99 * LEAST_NOISE * column.var(axis=0)).all()


def test_gaussian_directions_are_no_better_as_latents_that_rest():
    rng = np.random.default_rng(6)
    rows = rng.normal(size=(900, 3)) @ rng.normal(size=(3, 5)) + 0.5 * rng.normal(size=(900, 5))
    rows /= rows.std(axis=0)
    found = held_out_likelihoods(rows[:600], rows[600:], 3, starts=1, seed=0)
    assert found.rest == 0
    assert found.resting.mean() < found.gaussian.mean() + 0.05


@pytest.mark.parametrize("breaks", ["fails", "degenerates"])
def test_no_fit_and_no_row_can_cost_more_than_a_broad_density(monkeypatch, breaks):
    rng = np.random.default_rng(7)
    rows = rng.normal(size=(300, 4))
    rows[250] = 1e6, -1e6, 1e6, -1e6
    value = np.full(100, np.nan if breaks == "fails" else -1e12)
    monkeypatch.setattr(PDGMM, "fit", lambda self, _: self)
    monkeypatch.setattr(PDGMM, "score_samples", lambda *_: value)
    monkeypatch.setattr("pdgmm.analysis.diagnostics.noisy_likelihood._rest", lambda *_: 0)
    found = held_out_likelihoods(rows[:200], rows[200:], 2, starts=1, seed=0)
    for values in (found.resting, found.gaussian):
        assert np.isfinite(values).all()
        assert values.min() > -300
        assert values.mean() > -15


def test_codes_are_spread_over_their_steps_and_measurements_are_not():
    rng = np.random.default_rng(8)
    x = np.column_stack([rng.integers(0, 2, 500) * 3.0, rng.normal(size=500), np.ones(500)])
    moved = without_steps(x, rng)
    assert np.abs(moved - x).max(axis=0)[0] == pytest.approx(1.5, abs=0.05)
    assert np.abs(moved - x).max(axis=0)[1] < 0.02
    assert (moved[:, 2] == 1).all()
