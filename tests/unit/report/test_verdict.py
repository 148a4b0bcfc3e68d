import pytest

from pdgmm.report.published import PublishedValue
from pdgmm.report.verdict import beyond_deviations, tolerance, verdict


def test_the_tolerance_is_two_standard_errors_of_the_difference():
    published = PublishedValue(0.9, 0.05, 3)
    assert tolerance(0.03, 3, published, 0.01) == pytest.approx(2 * (0.03**2 / 3 + 0.05**2 / 5) ** 0.5)


def test_a_deviation_that_is_not_known_is_taken_from_the_other_side():
    assert tolerance(None, 1, PublishedValue(0.9, 0.05, 3), 0.01) == pytest.approx(
        2 * 0.05 * (1 + 1 / 5) ** 0.5
    )
    assert tolerance(0.05, 4, PublishedValue(0.9, None, 3), 0.01) == pytest.approx(
        2 * 0.05 * (1 / 4 + 1 / 5) ** 0.5
    )


def test_the_published_digits_are_the_least_tolerance():
    assert tolerance(0.0, 5, PublishedValue(0.97, 0.0, 3), 0.01) == 0.01
    assert tolerance(None, 1, PublishedValue(0.97, None, 3), 0.1) == 0.1


@pytest.mark.parametrize(
    ("difference", "higher_is_better", "word"),
    [
        (0.96 - 0.97, True, "agrees"),
        (0.02, True, "better"),
        (-0.02, True, "worse"),
        (0.02, False, "worse"),
        (-0.02, False, "better"),
    ],
)
def test_the_direction_decides(difference, higher_is_better, word):
    assert verdict(difference, 0.01, higher_is_better=higher_is_better) == word


@pytest.mark.parametrize(
    ("difference", "std", "beyond"),
    [(0.05, 0.02, True), (-0.05, 0.02, True), (0.04, 0.02, False), (0.009, 0.0, False), (0.5, None, False)],
)
def test_two_published_deviations(difference, std, beyond):
    assert beyond_deviations(difference, PublishedValue(0.9, std, 3), 0.01) is beyond
