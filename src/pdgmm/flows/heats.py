"""Which affine solution a flow should start from, where the search left several: a short training of each decides.

On bent data the likeliest affine map need not be near the true one, and a flow that starts from a wrong one bends the
data until it fits. A few steps of training tell the starts apart that the affine likelihood does not.
"""

from collections.abc import Callable, Sequence

import torch
from torch.nn.functional import normalize

from pdgmm.errors import FitFailed
from pdgmm.likelihood.dependent import DependentPrior
from pdgmm.likelihood.search import AffineSolution

SAME = 0.9
"""Two unmixings are the same if every latent of the one has such a correlation with a latent of the other."""

MOST_STARTS = 4
"""Starts that are given a heat. Those after the fourth are far less likely than the first."""

Start = tuple[torch.Tensor, DependentPrior]


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


def best_start(starts: list[Start], heat: Callable[[Start], float]) -> tuple[int, list[float]]:
    """The index of the start with the best score of ``heat``, and all scores; no heat where there is no choice."""
    if len(starts) == 1:
        return 0, []
    scores = []
    for start in starts:
        try:
            scores.append(heat(start))
        except FitFailed:
            scores.append(float("-inf"))
    return scores.index(max(scores)), scores


def _same(one: torch.Tensor, other: torch.Tensor) -> bool:
    # The samples are white, so products of unit rows are correlations.
    correlation = (normalize(one, dim=-1) @ normalize(other, dim=-1).T).abs()
    return bool((correlation.amax(0) > SAME).all() and (correlation.amax(1) > SAME).all())
