"""How many latents there are."""

import numpy as np
import pytest

from pdgmm.analysis.diagnostics.latent_count import (
    around,
    between,
    choose,
    coarse,
    conclude,
    count_latents,
    highest,
    non_gaussian,
)
from pdgmm.analysis.diagnostics.noisy_likelihood import Likelihoods
from pdgmm.errors import UserError

NOISE = np.tile([1.0, -1.0], 50) * np.sqrt(0.99)
SHARES = [0.5, 0.3, 0.1, 0.05, 0.05]


def scores(**means):
    """Scores whose paired differences have a standard error of 0.1: ``n3=(resting, gaussian, how many rest)``."""
    return {
        int(name[1:]): Likelihoods(resting + NOISE * place, gaussian + NOISE * place, rest)
        for place, (name, (resting, gaussian, rest)) in enumerate(means.items())
    }


def test_the_smallest_within_one_standard_error_is_as_good():
    assert choose(scores(n2=(0, -1.0, 0), n3=(0, -0.09, 0), n4=(0, 0.0, 0))).number == 3
    assert choose(scores(n2=(0, -1.0, 0), n3=(0, -0.11, 0), n4=(0, 0.0, 0))).number == 4
    # Eight latents that are worth 0.3 nats together are worth less than 0.05 each.
    assert choose(scores(n2=(0, -1.0, 0), n4=(0, -0.3, 0), n12=(0, 0.0, 0))) == (4, 12, False)


def test_latents_that_rest_decide_where_most_are_seen_to_rest():
    square = scores(n2=(-9.0, -8.0, 1), n3=(-8.0, -8.0, 1), n5=(-4.0, -8.0, 5))
    assert choose(square) == (5, 5, True), "the covariance of as many columns as latents says nothing"
    odd_noise = scores(n2=(-9.0, -8.0, 0), n3=(-8.0, -5.0, 1), n5=(-4.0, -5.0, 2))
    assert choose(odd_noise) == (3, 3, False), "noise of another shape is no latent"


def test_directions_that_bend_are_no_latents():
    bent = scores(n4=(-8.0, -9.0, 2), n6=(-5.0, -6.0, 6), n8=(-4.0, -5.0, 6), n9=(-4.5, -5.0, 5))
    assert choose(bent) == (6, 8, True)
    assert choose(scores(n4=(-8.0, -9.0, 4), n5=(-5.0, -6.0, 5))).number == 5, "each of them rests"


def test_a_latent_that_rests_too_often_to_be_seen_still_counts():
    # Nine switches in twelve meters; one of them is nearly always off. Only eight are seen to rest.
    switches = scores(
        n1=(-9.7, -10.9, 1), n4=(5.3, -5.1, 4), n7=(12.0, -3.8, 7), n8=(16.5, -2.2, 8), n9=(20.2, -2.1, 8),
        n11=(20.9, -2.0, 8), n12=(21.5, -2.0, 8),
    )  # fmt: skip
    assert choose(switches) == (9, 12, True)


def test_the_whole_range_is_tried_coarsely_and_then_finely():
    assert coarse(1) == [1]
    assert coarse(20) == [1, 2, 3, 4, 6, 8, 11, 16, 20]
    assert between(scores(n4=(0, -1.0, 0), n8=(0, 0.0, 0), n16=(0, -1.0, 0))) == [6, 12]
    assert between(scores(n7=(0, -1.0, 0), n8=(0, 0.0, 0), n9=(0, -1.0, 0))) == []
    assert around(4, 6) == [2, 3, 4, 5, 6]
    assert around(4, 30) == [2, 3, 4, 5, 6, 8]


def test_no_more_than_rows_and_time_allow():
    assert highest(np.ones(9), 1000) == 9
    assert highest(np.ones(9), 80) == 8, "ten rows for each latent"
    assert highest(np.ones(644), 4000) == 64, "images vary in hundreds of directions"
    assert highest(np.array([25.0] * 80 + [1.0] * 20), 4000) == 82, "a clear end of the signal"


@pytest.mark.parametrize(
    ("asked", "limit", "verdict", "said"),
    [
        (None, None, "holds", "3 latents: new rows are most probable with this number."),
        (None, 3, "doubtful", "This is the most that could be tried; there may be more."),
        (3, None, "holds", "3 latents, as asked for: new rows are most probable with this number."),
        (2, None, "doubtful", "2 latents, as asked for: but new rows are more probable with 3."),
        (4, None, "doubtful", "4 latents, as asked for: but with 3, new rows are about as probable or more."),
        (5, None, "unknown", "5 latents, as asked for; this was not checked."),
    ],
)
def test_the_sentence(asked, limit, verdict, said):
    found = scores(n2=(0, -1.0, 0), n3=(0, 0.0, 0), n4=(0, -0.1, 0))
    number, judged, sentence = conclude(found, asked, SHARES, limit)
    assert (number, judged) == (asked or 3, verdict)
    assert said in sentence
    held = {2: "80%", 3: "90%", 4: "95.0%", 5: "100%"}[number]
    assert f"{number} principal directions hold {held} of the variance." in sentence


def test_more_than_rest_were_asked_for():
    found = scores(n2=(0, -1.0, 2), n3=(0.2, 0.0, 2), n4=(0.3, -0.1, 2))
    assert conclude(found, None, SHARES, None)[0] == 2
    sentence = conclude(found, 4, SHARES, None)[2]
    assert "4 latents, as asked for: but hardly more rest than with 2." in sentence


def test_nearly_all_directions_are_no_clear_answer():
    found = scores(n3=(0, -1.0, 0), n4=(0, 0.0, 0), n5=(0, -0.1, 0))
    assert conclude(found, None, SHARES, None)[1] == "doubtful"
    assert conclude(found, None, [*SHARES, 0.0], None)[1] == "holds"


def test_gaussian_directions_are_called_so():
    gains = 0.3 + NOISE
    verdict, sentence = non_gaussian(Likelihoods(gains, 0 * gains, 2), 3)
    assert (verdict, "2 of 3 latents are seen to rest" in sentence) == ("holds", True)
    assert non_gaussian(Likelihoods(gains, 0 * gains, 0), 3)[0] == "doubtful", "long tails look so too"
    assert non_gaussian(Likelihoods(gains - 0.2, 0 * gains, 2), 3)[0] == "violated", (
        "within two standard errors"
    )
    assert non_gaussian(None, 3)[0] == "unknown"


@pytest.mark.parametrize("noise", [0.0, 0.1], ids=["noise-free", "noisy"])
def test_more_columns_than_latents(noise):
    rng = np.random.default_rng(8)
    latents = rng.normal(size=(1200, 2)) * (rng.random((1200, 2)) < 0.5)
    x = latents @ np.linalg.qr(rng.normal(size=(4, 4)))[0][:2] + noise * rng.normal(size=(1200, 4))
    found = count_latents(x[:800], x[800:], starts=1)
    assert (found.chosen, found.verdict, found.non_gaussian) == (2, "holds", "holds")
    assert [each.n for each in found.candidates] == ([1, 2] if noise == 0 else [1, 2, 3, 4])
    assert [each.resting for each in found.candidates][1] == 2
    assert found.rank == (2 if noise == 0 else 4)
    assert not found.asked
    assert sum(found.explained_variance) == pytest.approx(1.0)


def test_rows_that_are_all_the_same_are_named():
    with pytest.raises(UserError, match="all rows are the same"):
        count_latents(np.ones((50, 3)), np.ones((20, 3)))
