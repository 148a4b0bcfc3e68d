"""How many latents are there? The number with which rows that were not fitted are most probable.

Every number of latents is a model of whole rows with noise in every column
(:mod:`pdgmm.analysis.diagnostics.noisy_likelihood`). Two likelihoods are compared. Under *Gaussian* latents only the
covariance counts, so what is found are directions that several columns share. Under latents that *rest* their shape
counts too: it tells latents from noise where there are hardly more columns than latents, but any odd shape of the
noise looks like one more latent to it. So it decides only where the latents that it counts are seen to rest.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from pdgmm.analysis.answers import Candidate, Count, Verdict
from pdgmm.analysis.diagnostics.noisy_likelihood import Likelihoods, held_out_likelihoods, without_steps
from pdgmm.analysis.wording import counted, percent
from pdgmm.errors import UserError
from pdgmm.fitting.whitening import CLEAR_GAP, NUMERICAL_RANK
from pdgmm.seeds import child_generator

MOST_LISTED = 50
"""Principal directions whose share of the variance is listed."""

TRAINING_SAMPLES_PER_LATENT = 10
"""No number of latents is tried for which there are fewer."""

MOST_UNCLEAR = 64
"""The highest number that is tried where the variances show no clear end of the signal, as those of images do."""

LEAST_WORTH = 0.05
"""A latent must make a new row more probable by this factor, in nats: with many rows any gain is significant."""

MOSTLY, AS_MANY = 0.5, 0.8
"""Latents that rest decide where at least the first share of them is seen to rest. A smaller number is taken if at
least the second share of the resting latents rest there too, and at most the first share of those left out did."""

RISING = 0.5
"""A number is too small if further latents gain more than this share of what those up to it gained on average: what a
curved mixing adds to its latents is worth less than a latent."""

NEARLY_ALL = 0.75
"""More Gaussian latents than this share of all directions are not a clear answer."""

STANDARD_ERRORS = 2.0
"""A difference of log-likelihoods of more of its standard errors is real."""

Scores = Mapping[int, Likelihoods]
"""By number of latents."""


class Choice(NamedTuple):
    """A number of latents, and how it came about."""

    number: int
    best: int
    """The number with the highest likelihood of all; larger ones than ``number`` are hardly better."""
    resting: bool
    """Whether latents that rest decided, not Gaussian ones."""


def count_latents(
    train: np.ndarray, held_out: np.ndarray, *, asked: int | None = None, starts: int = 2, seed: int = 0
) -> Count:
    """Choose the number of latents of ``train`` (rows, columns), or check the number that was ``asked`` for.

    Numbers over the whole range are tried first, each about 1.4 times the one before, then those between the numbers
    around the chosen one. Columns in different units should be standardised first. With no ``starts``, latents that
    rest are not tried.
    """
    train, held_out = np.asarray(train, dtype=np.float64), np.asarray(held_out, dtype=np.float64)
    mean, scale = train.mean(axis=0), train.std(axis=0)
    if not (scale > 0).any():
        raise UserError("all rows are the same, so there is nothing to find: give rows that differ")
    variances = np.linalg.svd(train - mean, compute_uv=False) ** 2
    directions = int((variances > variances[0] * NUMERICAL_RANK).sum())
    rng = child_generator(seed, "steps of columns")
    rows = without_steps(np.vstack([train, held_out])[:, scale > 0], rng)
    rows = (rows - mean[scale > 0]) / scale[scale > 0]
    most = highest(variances[:directions], len(train))
    scores: dict[int, Likelihoods] = {}
    tried = around(asked, most) if asked else coarse(most)
    while tried:
        for n in tried:
            scores[n] = held_out_likelihoods(
                rows[: len(train)], rows[len(train) :], n, starts=starts, seed=seed
            )
        tried = [] if asked else between(scores)
    shares = variances[:directions] / variances.sum()
    chosen, verdict, sentence = conclude(scores, asked, shares, most if most < directions else None)
    gaussian, how = non_gaussian(scores.get(chosen), chosen)
    return Count(
        chosen=chosen,
        asked=asked is not None,
        explained_variance=shares[:MOST_LISTED].tolist(),
        rank=directions,
        candidates=[
            Candidate(
                n=n,
                held_out_log_likelihood=float(score.resting.mean()),
                gaussian_log_likelihood=float(score.gaussian.mean()),
                resting=score.rest,
            )
            for n, score in sorted(scores.items())
        ],
        verdict=verdict,
        sentence=sentence,
        non_gaussian=gaussian,
        non_gaussian_sentence=how,
    )


def most_latents(samples: int) -> int:
    """The largest number of latents that this many training samples can tell anything about."""
    return samples // TRAINING_SAMPLES_PER_LATENT


def highest(variances: np.ndarray, samples: int) -> int:
    """The largest number of latents to try, given the principal variances that are not 0, falling.

    What the samples allow, and ``MOST_UNCLEAR`` unless the variances fall clearly later than that: fits of hundreds
    of latents would take hours and find noise.
    """
    most = min(len(variances), most_latents(samples))
    falls = np.flatnonzero(variances[:-1] >= CLEAR_GAP * variances[1:]) + 1
    return min(most, max([MOST_UNCLEAR, *(falls + 2)]))


def coarse(most: int) -> list[int]:
    """1, 2, 3, 4, 6, 8, 11, 16, ... and ``most``."""
    steps = np.sqrt(2) ** np.arange(2 * np.log2(max(most, 1)) + 1)
    return sorted({1, min(3, most), most, *(round(step) for step in steps if step <= most)} - {0})


def around(number: int, most: int) -> list[int]:
    """A number, its neighbours, and its double: enough to see whether it is a good one."""
    near = {number + step for step in (-2, -1, 0, 1, 2)} | {2 * number}
    return sorted({n for n in near if 1 <= n <= most})


def between(scores: Scores) -> list[int]:
    """The numbers halfway to the next ones that were tried, around those that matter; none: all next ones were."""
    tried = sorted(scores)
    choice = choose(scores)
    likeliest, _ = _smallest_and_best(scores, "resting" if choice.resting else "gaussian")
    found: set[int] = set()
    for number in {choice.number, likeliest}:
        place = tried.index(number)
        for one, other in zip(
            tried[max(place - 1, 0) : place + 1], tried[max(place, 1) : place + 2], strict=False
        ):
            if other - one > 1:
                found.add((one + other) // 2)
    return sorted(found)


def choose(scores: Scores) -> Choice:
    """The number of latents.

    The smallest that makes new rows as probable as the best number, under latents that rest where most of these are
    seen to rest, and else under Gaussian ones. Where a mixing is curved, further directions are functions of the same
    latents: more of them explain more, but no more of them rest, and the smaller number is taken.
    """
    number, best = _smallest_and_best(scores, "resting")
    rest = scores[number].rest
    if rest and rest >= MOSTLY * number:
        fewer = [
            n
            for n, score in scores.items()
            if n <= number
            and rest - score.rest <= min((1 - AS_MANY) * rest, MOSTLY * (number - n))
            and not _rises(scores, n, number)
        ]
        return Choice(min(fewer), best, True)
    return Choice(*_smallest_and_best(scores, "gaussian"), False)


def _rises(scores: Scores, n: int, number: int) -> bool:
    """Whether the latents after ``n``, up to ``number``, make new rows much more probable, as those before it did."""
    values = {tried: float(score.resting.mean()) for tried, score in scores.items()}
    fewest = min(values)
    later = [(values[m] - values[n]) / (m - n) for m in values if n < m <= number]
    if n == fewest or not later:
        return False
    return max(later) > RISING * (values[n] - values[fewest]) / (n - fewest)


def _smallest_and_best(scores: Scores, kind: str) -> tuple[int, int]:
    """The smallest number that is as good as the best one, and the best one.

    As good: the mean difference, paired over the rows, is at most one standard error, or less than the latents that
    are saved would have to be worth.
    """
    values = {n: getattr(score, kind) for n, score in scores.items()}
    best = max(values, key=lambda n: values[n].mean())
    losses = {n: values[best] - value for n, value in values.items() if n <= best}
    return min(
        n for n, loss in losses.items() if loss.mean() <= max(_standard_error(loss), LEAST_WORTH * (best - n))
    ), best


def _standard_error(values: np.ndarray) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values)))


def conclude(
    scores: Scores, asked: int | None, shares: Sequence[float], limit: int | None
) -> tuple[int, Verdict, str]:
    """The number of latents with verdict and sentence.

    ``shares`` (directions,) are those of the principal directions in the variance, ``limit`` is the largest number
    that could be tried where there are more directions.
    """

    def held(number: int) -> str:
        which = f"{number} principal directions hold" if number > 1 else "One principal direction holds"
        return f"{which} {percent(min(1.0, float(np.sum(shares[:number]))))} of the variance."

    if asked is not None and asked not in scores:
        return (
            asked,
            "unknown",
            f"{counted(asked, 'latent')}, as asked for; this was not checked. {held(asked)}",
        )
    choice = choose(scores)
    if asked is not None:
        verdict: Verdict = "holds" if choice.number == asked else "doubtful"
        if choice.number == asked:
            how = "new rows are most probable with this number."
        elif choice.number > asked:
            how = f"but new rows are more probable with {choice.number}."
        elif choice.resting:
            how = f"but hardly more rest than with {choice.number}."
        else:
            # The smallest number that is as good as the best one.
            how = f"but with {choice.number}, new rows are about as probable or more."
        return asked, verdict, f"{counted(asked, 'latent')}, as asked for: {how} {held(asked)}"
    number, rest = choice.number, scores[choice.number].rest
    if choice.resting:
        who = "all of them rest" if rest == number else f"{rest} of them rest{'s' if rest == 1 else ''}"
        how = f"{who if number > 1 else 'it rests'} at one value in part of the rows"
        how += f", and hardly more do with up to {choice.best}" if choice.best > number else ""
        clear = rest >= AS_MANY * number and choice.best <= 2 * number
    else:
        how = "new rows are most probable with this number"
        if choice.best > number:
            how = f"with more, up to {choice.best}, new rows are hardly more probable"
        clear = choice.best <= number + 1
        if number > NEARLY_ALL * len(shares):
            how += ". These are nearly all directions of the data, and hardly any noise is seen"
            clear = False
    if number == limit:
        how += ". This is the most that could be tried; there may be more"
        clear = False
    return number, "holds" if clear else "doubtful", f"{counted(number, 'latent')}: {how}. {held(number)}"


def non_gaussian(scores: Likelihoods | None, n: int) -> tuple[Verdict, str]:
    """Whether ``n`` latents that rest explain new rows better than Gaussian ones, with a sentence.

    Of Gaussian latents every rotation explains the data alike, so nothing can tell single ones.
    """
    if scores is None:
        return "unknown", "Whether the latents are more than Gaussian directions was not checked."
    gains = scores.resting - scores.gaussian
    gain, error = float(gains.mean()), _standard_error(gains)
    measured = f"{gain:.2f} ± {error:.2f} nats a row"
    if gain <= max(LEAST_WORTH, STANDARD_ERRORS * error):
        return "violated", (
            f"The data look like Gaussian directions: latents that rest explain new rows no better ({measured}). "
            "Any rotation of such directions explains the data as well, so no method can tell single latents."
        )
    if not scores.rest:
        return "doubtful", (
            f"The data are not just Gaussian directions (a gain of {measured}), but no latent is seen to rest: long "
            "tails or groups of rows look like this too."
        )
    who = "The latent is" if n == 1 else f"{scores.rest} of {n} latents {'is' if scores.rest == 1 else 'are'}"
    return (
        "holds",
        f"{who} seen to rest, which explains new rows better than Gaussian directions, by {measured}.",
    )
