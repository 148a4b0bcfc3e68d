"""How many latents there are."""

import numpy as np
import pytest

from pdgmm.analysis.diagnostics.latent_count import (
    as_good_as_the_best,
    candidates,
    choose,
    count_latents,
    next_candidate,
)
from pdgmm.analysis.diagnostics.latent_count import held_out_log_likelihoods as log_likelihoods
from pdgmm.errors import UserError

RNG = np.random.default_rng(7)


def likelihoods(**means):
    """Held-out log-likelihoods whose paired differences have a standard error of 0.1, by number: ``n3=-1.0``."""
    noise = np.tile([1.0, -1.0], 50) * np.sqrt(0.99)
    return {int(name[1:]): mean + noise * place for place, (name, mean) in enumerate(means.items())}


def test_the_smallest_within_one_standard_error_is_as_good():
    assert as_good_as_the_best(likelihoods(n2=-1.0, n3=-0.05, n4=0.0)) == [3, 4]
    assert as_good_as_the_best(likelihoods(n2=-1.0, n3=-0.11, n4=0.0)) == [4]
    assert as_good_as_the_best({2: None, 3: np.arange(5.0)}) == [3]


@pytest.mark.parametrize(
    ("rank", "asked", "expected"),
    [
        (3, None, (3, "holds")),
        (4, None, (4, "doubtful")),
        (2, None, (3, "doubtful")),
        (3, 3, (3, "holds")),
        (3, 2, (2, "doubtful")),
        (3, 4, (4, "doubtful")),
    ],
)
def test_rank_and_likelihood_decide_together(rank, asked, expected):
    assert choose(likelihoods(n2=-1.0, n3=0.0, n4=0.05), rank, asked, most=4)[:2] == expected


@pytest.mark.parametrize(
    ("tried", "rank", "asked", "expected"),
    [
        ({3: None}, 3, None, (3, "unknown")),
        ({}, 3, 5, (5, "unknown")),
        ({}, 30, None, (16, "unknown")),
        (likelihoods(n15=-1.0, n16=0.0), 30, None, (16, "doubtful")),
    ],
)
def test_a_rank_that_is_not_checked_or_too_large_to_be_tried(tried, rank, asked, expected):
    assert choose(tried, rank, asked, most=16)[:2] == expected


def test_candidates_lie_around_rank_and_largest_fall():
    assert candidates(np.ones(9), 9, None, 1000) == [7, 8, 9]
    assert candidates(np.array([5.0] * 3 + [1.0] * 6), 9, None, 1000) == [1, 2, 3, 4, 5, 7, 8, 9]
    assert candidates(np.ones(9), 9, 3, 1000) == [1, 2, 3, 4, 5, 7, 8, 9]
    assert candidates(np.ones(9), 9, None, 80) == [6, 7, 8], "ten samples for each latent"
    assert candidates(np.ones(644), 644, None, 4000) == [62, 63, 64, 65, 66], "images vary in hundreds"
    assert candidates(np.ones(644), 644, 4, 4000) == [2, 3, 4, 5, 6], "asked, so nothing need be guessed"
    assert candidates(np.array([25.0] * 80 + [1.0] * 20), 80, None, 4000)[-1] == 82, (
        "a clear end of the signal"
    )


def test_numbers_beyond_the_tried_ones_follow_the_likelihood():
    assert next_candidate(likelihoods(n3=0.0, n4=-1.0), 9) == [2]
    assert next_candidate(likelihoods(n3=-1.0, n4=0.0), 9) == [5]
    assert next_candidate(likelihoods(n1=0.0, n2=-1.0), 9) == []
    assert next_candidate(likelihoods(n2=-1.0, n3=0.0, n4=-1.0), 9) == []


def test_the_likelihoods_of_different_numbers_are_of_the_same_thing():
    # Of independent Gaussians no latents are found that others would not be: all numbers explain them alike.
    deviations = np.array([4.0, 2.0, 1.0, 1e-3])
    train, new = RNG.normal(size=(2, 1500, 4)) * deviations
    truth = (-0.5 * (new / deviations) ** 2 - np.log(deviations) - 0.5 * np.log(2 * np.pi)).sum(axis=1)
    for n in (1, 3):
        found = log_likelihoods(train, new, n, starts=1, seed=0)
        assert found.mean() == pytest.approx(truth.mean(), abs=0.05)


@pytest.mark.parametrize("noise", [0.0, 0.03], ids=["noise-free", "noisy"])
def test_more_columns_than_latents(noise):
    rng = np.random.default_rng(8)
    latents = rng.normal(size=(1200, 2)) * (rng.random((1200, 2)) < 0.5)
    x = latents @ np.linalg.qr(rng.normal(size=(4, 4)))[0][:2] + noise * rng.normal(size=(1200, 4))
    found = count_latents(x[:800], x[800:], starts=2)
    assert (found.chosen, found.rank, found.verdict) == (2, 2, "holds")
    assert [each.n for each in found.candidates] == ([1, 2] if noise == 0 else [1, 2, 3, 4])
    assert not found.asked
    assert sum(found.explained_variance) == pytest.approx(1.0)


def test_rows_that_are_all_the_same_are_named():
    with pytest.raises(UserError, match="all rows are the same"):
        count_latents(np.ones((50, 3)), np.ones((20, 3)))
