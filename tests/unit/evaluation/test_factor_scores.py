"""The FactorVAE score and DCI: high for the factors themselves, lower for mixtures of them."""

import numpy as np
import pytest
from scipy.linalg import hadamard

from pdgmm.evaluation import dci as dci_module
from pdgmm.evaluation.base import ScoredSplit
from pdgmm.evaluation.dci import DciScores, dci
from pdgmm.evaluation.factor_vae_score import (
    BATCH,
    BATCHES,
    FactorVaeScore,
    factor_vae_score,
    fixed_factor_batches,
)

RNG = np.random.default_rng(100)
COUNTS = np.array([3, 0, 0, 0])
Z = np.column_stack([RNG.integers(3, size=1000), RNG.uniform(size=(1000, 3))])
OWN = Z[:, [2, 0, 3, 1]] * [-2.0, 5.0, 1e6, 1e-6] + 1.0
# The rotation that mixes all factors equally.
ROTATED = (Z - Z.mean(axis=0)) / Z.std(axis=0) @ hadamard(4) / 2


@pytest.fixture(autouse=True)
def few_trees(monkeypatch):
    monkeypatch.setattr(dci_module, "TREES", 20)
    monkeypatch.setattr(dci_module, "ROTATIONS", 1)


def score_of(code):
    return FactorVaeScore().scores(ScoredSplit(code, {"z": Z, "factors": COUNTS}))["factor_vae_score"]


def test_batches_share_the_value_of_their_factor_only():
    places = np.arange(0, 1000, 2)
    batches = fixed_factor_batches(Z, COUNTS, places)
    assert np.bincount(batches.factor).tolist() == [BATCHES] * 4
    for rows, factor in zip(batches.rows, batches.factor, strict=True):
        assert len(rows) == BATCH
        assert set(rows.tolist()) <= set(places.tolist())
        deviations = np.ptp(Z[rows], axis=0)
        assert deviations[factor] == 0 if factor == 0 else deviations[factor] < 0.15
        assert (np.delete(deviations, factor) > 0.7).all()


def test_the_factors_in_another_order_and_scale_score_one_and_a_rotation_less():
    assert score_of(OWN) == 1
    assert score_of(np.column_stack([OWN, RNG.normal(size=1000)])) == 1
    assert score_of(ROTATED) < 0.7


def test_a_code_that_says_nothing_scores_as_a_guess():
    assert score_of(RNG.normal(size=(1000, 4))) == pytest.approx(0.25, abs=0.08)
    assert score_of(np.ones((1000, 4))) == 0
    assert score_of(OWN[:, :1]) == pytest.approx(0.25)


def test_each_latent_stands_for_the_factor_it_was_fixed_with_most_often():
    even, odd = (fixed_factor_batches(Z, COUNTS, np.arange(start, 1000, 2)) for start in (0, 1))
    # Only two of four factors are in the code: their batches are told, the others vote for one of them by luck.
    found = factor_vae_score(Z[:, :2], even, odd)
    assert 0.5 <= found < 0.8


def test_dci_of_the_factors_is_one_and_of_a_rotation_clearly_lower():
    own, rotated = dci(Z, OWN, COUNTS), dci(Z, ROTATED, COUNTS)
    assert min(own[:3]) > 0.98
    assert own.importances.argmax(axis=0).tolist() == [1, 3, 0, 2]
    assert max(rotated.disentanglement, rotated.completeness) < 0.7
    assert rotated.informativeness > 0.6


def test_the_three_scores_tell_different_faults_apart():
    # The factor 0 twice: every latent has one factor, but that factor has two latents.
    noisy = np.column_stack([Z[:, 0] + RNG.normal(size=1000), Z[:, 0] + RNG.normal(size=1000), Z[:, 1:]])
    twice = dci(Z, noisy, COUNTS)
    assert twice.disentanglement > 0.8
    assert 0.7 < twice.completeness < 0.92
    # One latent for two factors.
    grid = np.floor(4 * Z[:, 1]) + np.floor(4 * Z[:, 2]) / 4
    both = dci(Z, np.column_stack([Z[:, 0], grid, Z[:, 3]]), COUNTS)
    assert both.completeness > 0.9
    assert both.disentanglement < 0.85
    # Noise tells nothing of half of the factors.
    half = dci(Z, np.column_stack([Z[:, :2], RNG.normal(size=(1000, 2))]), COUNTS)
    assert half.informativeness == pytest.approx(0.5, abs=0.03)


def test_constant_and_single_latents():
    assert dci(Z, np.ones((1000, 2)), COUNTS)[:3] == (0, 0, 0)
    single = dci(Z[:, 1:2], Z[:, 1:2], COUNTS[1:2])
    assert min(single[:3]) > 0.98


@pytest.mark.parametrize("metric", [FactorVaeScore(), DciScores()])
def test_chance_is_that_of_rotations_and_does_not_depend_on_the_code(metric):
    truth = {"z": Z, "factors": COUNTS}
    one, other = (metric.scores(ScoredSplit(code, truth)) for code in (OWN, ROTATED))
    for column in metric.columns:
        assert one[column.chance] == other[column.chance] < one[column.name]
