import numpy as np
import pytest

from pdgmm.evaluation.base import ScoredSplit
from pdgmm.evaluation.dependency_support import DependencySupport, support_error

TRUE = np.tri(4, dtype=bool)


def test_the_order_of_the_columns_does_not_matter():
    assert support_error(TRUE, TRUE[:, [2, 0, 3, 1]]) == 0
    wrong = TRUE.copy()
    wrong[0, 3] = True
    assert support_error(TRUE, wrong[:, ::-1]) == pytest.approx(1 / 16)


def test_missing_and_surplus_columns():
    assert support_error(TRUE, TRUE[:, :3]) == pytest.approx(1 / 16)
    assert support_error(TRUE, np.column_stack([np.ones((4, 1), bool), TRUE])) == 0


def test_scores():
    jacobian = np.where(TRUE, 0.7, 0.02)[:, [1, 0, 3, 2]]
    metric = DependencySupport()
    split = ScoredSplit(np.zeros((2, 4)), {"dependencies": TRUE.astype(np.uint8)}, {"jacobian": jacobian})
    assert metric.scores(split) == {"support_error": 0, "best_support_error": 0, "dense_error": 6 / 16}
    faint = ScoredSplit(np.zeros((2, 4)), split.truth, {"jacobian": 0.1 * jacobian})
    assert metric.scores(faint)["best_support_error"] == 0
    assert metric.scores(faint)["support_error"] == 10 / 16
    other = ScoredSplit(np.zeros((2, 4)), split.truth, {"jacobian": jacobian[:3]})
    assert metric.runs_on(split)
    assert not metric.runs_on(other)
