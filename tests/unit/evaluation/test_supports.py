import numpy as np
import pytest

from pdgmm.evaluation.supports import support_scores

MASKS = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1], [1, 0, 1]])


def test_supports_that_are_all_right_up_to_the_order_of_the_latents():
    order = np.array([2, 0, 1])
    learned = np.zeros_like(MASKS[:3])
    learned[:, order] = MASKS[:3]
    scores = support_scores(MASKS, learned, np.full(3, 1 / 3), order)
    assert (scores["precision"], scores["recall"]) == (1, 1)
    assert scores["components"] == 3, "equal components are one"


def test_a_wrong_and_a_missing_support_cost_precision_and_recall():
    learned = np.array([[1, 1, 0], [1, 1, 1]])
    scores = support_scores(MASKS, learned, np.array([0.7, 0.3]), np.arange(3))
    assert scores["precision"] == 0.5
    assert scores["recall"] == pytest.approx(1 / 3)
    assert scores["true_weight"] == pytest.approx(0.7)
