"""The true latents from an affine map of the code."""

import numpy as np
import pytest

from pdgmm.evaluation.affine_r2 import AffineR2
from pdgmm.evaluation.base import ScoredSplit
from pdgmm.evaluation.r2 import r2

RNG = np.random.default_rng(0)
Z = RNG.normal(size=(4000, 2))


def score(code):
    return AffineR2().scores(ScoredSplit(code, {"z": Z, "affine": np.ones(2)}))["affine_r2"]


def test_the_axes_of_a_code_do_not_matter_unlike_in_the_published_score():
    code = np.column_stack([Z[:, 0], RNG.normal(size=4000)])
    skewed = code @ [[1.0, 1.0], [0.05, 0.0]]
    assert score(code) == pytest.approx(score(skewed), abs=1e-6)
    assert score(code) == pytest.approx(0.5, abs=0.01)
    assert r2(Z, skewed) > 0.9


def test_an_affine_code_scores_one_and_an_unrelated_one_zero():
    assert score(Z @ RNG.normal(size=(2, 3)) + 1) == pytest.approx(1)
    assert score(RNG.normal(size=(4000, 2))) < 0.01
