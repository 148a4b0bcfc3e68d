import numpy as np
import pytest

from pdgmm.evaluation.base import ScoredSplit
from pdgmm.evaluation.extra_latents import ExtraLatents

Z = np.random.default_rng(0).normal(size=(2000, 3))
EMPTY = np.zeros((2000, 1))


@pytest.mark.parametrize(
    ("learned", "count", "largest"),
    [
        (Z, None, None),
        (Z[:, :2], None, None),
        (np.hstack([EMPTY, Z, EMPTY + 1]), 2, 0.0),
        (np.hstack([Z, -2 * Z[:, :1], EMPTY]), 2, 0.5),
    ],
    ids=["as many", "fewer", "empty ones", "a copy"],
)
def test_what_is_left_over_is_counted_and_compared_with_the_truth(learned, count, largest):
    found = ExtraLatents().scores(ScoredSplit(learned, {"z": Z}))
    assert found.get("extra_latents") == count
    assert found.get("extra_max_correlation") == (None if largest is None else pytest.approx(largest))
