import numpy as np
import pytest

from pdgmm.evaluation.extra import extra_scores
from pdgmm.evaluation.mcc import mcc

Z = np.random.default_rng(0).normal(size=(2000, 3))


def test_as_many_learned_as_true_latents_leave_nothing_over():
    assert extra_scores(mcc(Z, Z)) == {}
    assert extra_scores(mcc(Z, Z[:, :2])) == {}


def test_empty_latents_are_counted_and_correlate_with_nothing():
    learned = np.column_stack([np.zeros(2000), Z, np.ones(2000)])
    assert extra_scores(mcc(Z, learned)) == {"extra_latents": 2, "extra_max_correlation": 0.0}


def test_a_copy_of_a_true_latent_is_seen():
    learned = np.column_stack([Z, -2 * Z[:, 0], np.zeros(2000)])
    found = extra_scores(mcc(Z, learned))
    assert found["extra_latents"] == 2
    assert found["extra_max_correlation"] == pytest.approx(0.5)
