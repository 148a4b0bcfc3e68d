import numpy as np
import pytest

from pdgmm.evaluation.base import ScoredSplit
from pdgmm.evaluation.supports import Supports

MASKS = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1], [1, 0, 1]])
Z = np.random.default_rng(0).normal(size=(100, 3))


def scores(supports, weights, order=(0, 1, 2)):
    """Of latents that were learned in another order, and of supports in that order."""
    claims = {"supports": supports, "support_weights": np.array(weights)}
    return Supports().scores(ScoredSplit(Z[:, order], {"z": Z, "masks": MASKS}, claims))


def test_supports_that_are_all_right_up_to_the_order_of_the_latents():
    found = scores(MASKS[:3][:, [2, 0, 1]], [1 / 3] * 3, [2, 0, 1])
    assert (found["precision"], found["recall"]) == (1, 1)
    assert found["components"] == 3, "equal components are one"


def test_a_wrong_and_a_missing_support_cost_precision_and_recall():
    found = scores(np.array([[1, 1, 0], [1, 1, 1]]), [0.7, 0.3])
    assert found["precision"] == 0.5
    assert found["recall"] == pytest.approx(1 / 3)
    assert found["true_weight"] == pytest.approx(0.7)
