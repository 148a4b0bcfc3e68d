"""Which affine solution a flow should start from, where the search left several: a short training of each decides.

On bent data the likeliest affine map need not be near the true one, and a flow that starts from a wrong one bends the
data until it fits. A few steps of training tell the starts apart that the affine likelihood does not. They also say
where a better start lies: the affine map nearest to the code of a flow that has begun to straighten the data.
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from torch.nn.functional import normalize

from pdgmm.errors import FitFailed
from pdgmm.methods.spike_slab.affine_search import AffineSolution
from pdgmm.methods.spike_slab.dependent_prior import DependentPrior

SAME = 0.9
"""Two unmixings are the same if every latent of the one has such a correlation with a latent of the other."""

MOST_STARTS = 4
"""Starts that are given a heat. Those after the fourth are far less likely than the first."""

MOST_REFINED = 2
"""Starts that are refined."""

MOST_REFINEMENTS, REFINED_LATENTS = 4, 30
"""Refinements of a start: so many, but fewer where all of them together have more latents.

With many latents a heat is slow, and the heats tell the starts apart well enough.
"""

NEAR = 1.0
"""Log-likelihood per sample by which a heat may lie below the best for its start to be refined."""

LEAST_GAIN = 0.02
"""Log-likelihood per sample that a refinement must gain for another one to follow."""

Start = tuple[torch.Tensor, DependentPrior]


class Heat(NamedTuple):
    """A short training: the held-out likelihood it ended with, and the better start that it points to."""

    score: float
    refined: Callable[[], Start]


class Choice(NamedTuple):
    """The start that was chosen, the heats' scores of the given ones (none without a choice), and of refined ones."""

    start: Start
    heats: list[float]
    refined: list[float]


def distinct_starts(solutions: Sequence[AffineSolution]) -> list[Start]:
    """The solutions, an unmixing (n, n) and its prior each, and their finalists, without those like earlier ones.

    Both by falling likelihood, the solutions first; at most ``MOST_STARTS`` in all.
    """
    winners = [(one.log_likelihood, (one.unmixing, one.prior)) for one in solutions]
    finalists = [
        (likelihood, (one.finalists[i], one.finalist_priors[i]))
        for one in solutions
        for i, likelihood in enumerate(one.finalist_log_likelihoods)
    ]
    starts: list[Start] = []
    for ranked in (winners, finalists):
        for _, start in sorted(ranked, key=lambda entry: -entry[0]):
            if not any(_same(start[0], other) for other, _ in starts):
                starts.append(start)
    return starts[:MOST_STARTS]


def best_start(starts: list[Start], heat: Callable[[Start], Heat]) -> Choice:
    """The start with the best score of ``heat``, refined as long as that improves it; no heat without a choice.

    ``Choice.refined`` lists the scores of the refinements in the order in which they were tried.
    """
    if len(starts) == 1:
        return Choice(starts[0], [], [])
    heats = [_heat_or_failure(start, heat) for start in starts]
    scores = [ended.score for ended in heats]
    best, chosen = max(zip(scores, starts, strict=True), key=lambda entry: entry[0])
    near, most = best - NEAR, min(MOST_REFINEMENTS, REFINED_LATENTS // len(starts[0][0]))
    refined: list[float] = []
    for present in sorted(heats, key=lambda ended: -ended.score)[:MOST_REFINED]:
        if present.score < near:
            break
        for _ in range(most):
            start = present.refined()
            following = _heat_or_failure(start, heat)
            refined.append(following.score)
            if following.score > best:
                best, chosen = following.score, start
            if not following.score > present.score + LEAST_GAIN:
                break
            present = following
    return Choice(chosen, scores, refined)


def _heat_or_failure(start: Start, heat: Callable[[Start], Heat]) -> Heat:
    """The heat, or for one that fails the lowest score there is."""
    try:
        return heat(start)
    except FitFailed:
        return Heat(-math.inf, lambda: start)


def _same(one: torch.Tensor, other: torch.Tensor) -> bool:
    # The samples are white, so products of unit rows are correlations.
    correlation = (normalize(one, dim=-1) @ normalize(other, dim=-1).T).abs()
    return bool((correlation.amax(0) > SAME).all() and (correlation.amax(1) > SAME).all())
