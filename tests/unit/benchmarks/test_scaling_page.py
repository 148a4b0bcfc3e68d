"""The page on scaling says what its figures mean."""

import pytest
from page import (
    exponent,
    growth_sentence,
)
from planning import Planned

SIZES = [
    Planned("100 runs", 260, 2.0, 110.0, 100, 1.5),
    Planned("1,000 runs", 2_500, 5.0, 160.0, 1_000, 1.7),
    Planned("10,000 runs", 25_000, 50.0, 640.0, 10_000, 3.0),
]


def test_growth_is_told_by_the_two_largest_sizes():
    assert exponent([1, 10, 100], [3, 3 * 10**1.5, 3 * 10**3]) == pytest.approx(1.5)
    sentence = growth_sentence(SIZES)
    assert "From 1,000 to 10,000 runs the seconds of a dry run grow like runs^1.00" in sentence
    assert "100,000 runs would take 8.3 minutes" in sentence
    assert "nothing about growth" in growth_sentence(SIZES[:1])
