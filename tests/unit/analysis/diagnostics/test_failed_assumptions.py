"""Checks of assumptions that count against latents."""

import numpy as np
import pytest

from pdgmm.analysis.answers import Gaussianity, LatentAssumptions, Quantiles
from pdgmm.analysis.diagnostics.bending import bends
from pdgmm.analysis.diagnostics.failed_assumptions import (
    BENT,
    NOT_GAUSSIAN,
    OTHERS_WITHOUT_REST,
    failed_assumptions,
)

RNG = np.random.default_rng(5)
ROWS = 3000


def checked(verdicts, rests=None):
    """Latents with these verdicts, all at rest in part of the rows unless ``rests`` says otherwise."""
    return [
        LatentAssumptions(
            latent=number,
            spike_share=0.5,
            spike_value=0.0,
            spike_width=0.02,
            active_samples=1000,
            rests=rests is None or rests[number - 1],
            gaussianity=Gaussianity(),
            quantiles=Quantiles(),
            verdict=verdict,
            sentence="",
        )
        for number, verdict in enumerate(verdicts, start=1)
    ]


def short(latents, bent=None):
    found = failed_assumptions(latents, None if bent is None else np.array(bent))
    return [[doubt for doubt, _ in doubts] for doubts in found]


def test_a_latent_that_is_plainly_not_gaussian_is_doubted_alone():
    assert short(checked(["holds", "violated", "doubtful", "unknown"])) == [[], [NOT_GAUSSIAN], [], []]


def test_bends_count_against_one_or_all():
    four = checked(["holds"] * 4)
    assert short(four, [0.02, 0.0, 0.01, 0.02]) == [[]] * 4
    assert short(four, [0.05, 0.0, 0.01, 0.02]) == [[BENT], [], [], []]
    assert short(four, [0.03, 0.03, 0.03, 0.02]) == [[BENT]] * 4, "none of them is far bent, but all are"


def test_many_latents_without_rest_count_against_those_that_rest():
    rests = [True] * 4 + [False] * 2
    assert short(checked(["holds"] * 4 + ["violated"] * 2, rests)) == [[OTHERS_WITHOUT_REST]] * 4 + [[]] * 2
    assert short(checked(["holds"] * 5 + ["violated"], [True] * 5 + [False])) == [[]] * 6, "one may be noise"


@pytest.mark.parametrize(
    ("bend", "low", "high"),
    [
        (lambda y: -2 * y + 0.3 * RNG.normal(size=ROWS), -0.01, 0.01),
        (lambda y: np.log(y + 0.1), 0.05, 0.3),
        (lambda y: np.maximum(0.7 * y, y), -0.01, 0.01),
    ],
    ids=["noise", "logarithm", "slight kink"],
)
def test_only_a_curved_scale_of_its_own_is_a_bend(bend, low, high):
    values = RNG.exponential(size=ROWS) if low > 0 else RNG.normal(size=ROWS)
    affine = np.column_stack([RNG.normal(size=ROWS), values])
    found = bends(bend(values)[:, None], affine, np.ones((ROWS, 1), dtype=bool))
    assert low < found[0] < high


def test_rows_at_rest_and_few_rows_say_nothing():
    values = RNG.normal(size=(ROWS, 1))
    values[::2] = 0.0
    active = values != 0
    assert abs(bends(np.where(active, values, 9.0), values, active)[0]) < 0.01
    assert bends(values**3, values, np.arange(ROWS)[:, None] < 20)[0] == 0
