"""Do the latents rest in enough combinations to be told apart, or do some always rest together?

Assumption 3.8b of Xu, Lachapelle and Magliacane (2026): for all latents i and j there are samples in which j is
active and i is not. Where j is never active without i, latent i plus any multiple of j rests just as often as i
itself, so no sparsity tells the two apart.
"""

import numpy as np
from scipy.sparse.csgraph import connected_components

from pdgmm.analysis.answers import Pattern, Variability, Verdict
from pdgmm.analysis.diagnostics.spikes import LEAST_SHARE, Marginals
from pdgmm.analysis.wording import percent

LEAST_APART = 0.02
"""Of the samples with j active, i must rest in more than this share, beyond what misreadings make up."""

STANDARD_ERRORS = 2.0
MOST_PATTERNS = 50
MOST_NAMED = 3
"""Pairs that are named in a sentence."""

SAME_ACTIVITY = 0.85
"""Latents whose activities agree so far beyond chance (Cohen's kappa) rest together. Those of a block that a flow
found have 0.9 and more, those whose masks are drawn apart from each other at most 0.4."""

SIMILAR_ACTIVITY = 0.5
"""The same, for two of which one is never seen active without the other. Where only an affine map was fitted to a
curved mixing, readings are poor, and a block is often seen like this."""


def patterns(active: np.ndarray) -> list[Pattern]:
    """The most frequent combinations of active latents in ``active`` (samples, n), most frequent first.

    They are counted as read: an active value near its rest value is read as resting, so rare patterns beside a
    frequent one with one more active latent need not be real.
    """
    found, counts = np.unique(active, axis=0, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:MOST_PATTERNS]
    return [
        Pattern(active=(np.flatnonzero(found[place]) + 1).tolist(), share=float(counts[place] / len(active)))
        for place in order
    ]


def variability(active: np.ndarray, marginals: Marginals) -> Variability:
    """Which latents are separated from each other in ``active`` (samples, n).

    The share of the samples with j active in which i rests must exceed ``q_i + max(0.02, q_i / 2)`` and two standard
    errors more. ``q_i`` is the probability that an active i is read as resting; half of it is the allowance for slabs
    that are not exactly Gaussian. An excess of less than twice that margin is doubtful.
    """
    apart, clear, rests = _separated(active, marginals)
    n = len(apart)
    pairs = (np.argwhere(np.triu(~(apart & apart.T))) + 1).tolist()
    verdict: Verdict = "holds"
    sentence = "Every latent is active without every other one often enough to tell them apart."
    if n > 1 and np.asarray(active).all():
        verdict, sentence = "violated", "No latent rests, so no patterns of rest tell the latents apart."
    elif pairs:
        named = ", ".join(f"{i} with {j}" for i, j in pairs[:MOST_NAMED])
        more = f" and {len(pairs) - MOST_NAMED} more" if len(pairs) > MOST_NAMED else ""
        verdict = "violated"
        sentence = (
            f"{len(pairs)} of {n * (n - 1) // 2} pairs of latents are not separated ({named}{more}): one of the two "
            "is never active without the other, so the other may be a mixture of both."
        )
    elif not clear.all():
        i, j = np.argwhere(~clear)[0]
        verdict = "doubtful"
        sentence = (
            f"Every two latents are active without each other, but some only just: of the samples with latent "
            f"{j + 1} active, latent {i + 1} rests in {percent(float(rests[i, j]))}."
        )
    elif n == 1:
        sentence = "There is one latent only, and nothing to tell it apart from."
    inseparable = (np.flatnonzero(~apart.all(axis=1)) + 1).tolist()
    return Variability(verdict=verdict, pairs_not_separated=pairs, inseparable=inseparable, sentence=sentence)


def _separated(active: np.ndarray, marginals: Marginals) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Whether latent i is seen to rest while j is active, whether clearly so, and how often: [i, j], each (n, n)."""
    on = np.asarray(active, dtype=np.float64)
    misread = marginals.active_read_as_resting()
    often = np.maximum(on.sum(axis=0), 1)
    rests = (1 - on).T @ on / often  # share of the samples with j active in which i rests
    margin = np.maximum(LEAST_APART, misread / 2)[:, None]
    error = STANDARD_ERRORS * np.sqrt(rests * (1 - rests) / often)
    excess = rests - misread[:, None] - error
    itself = np.eye(on.shape[1], dtype=bool)
    return (excess > margin) | itself, (excess > 2 * margin) | itself, rests


def frozen_blocks(active: np.ndarray, marginals: Marginals) -> list[list[int]]:
    """The blocks of latents, ordered by their first one; a latent that rests on its own is a block of one.

    Of latents that rest together only the block as a whole can be told from the others. ``active`` (samples, n) is
    read from values, and the readings of two such latents disagree where just one of them passes by its rest value.
    The share of such samples, ``(1 - w)(q_i + q_j - 2 q_i q_j) + w (t_i + t_j - 2 t_i t_j)`` with the probabilities q
    and t of the two misreadings, is not held against them. Agreement counts beyond what chance gives,
    ``(agreement - chance) / (1 - chance)``, and blocks are its connected components. Less agreement is enough for two
    latents that are not separated.
    """
    on = np.asarray(active, dtype=np.float64)
    agreement = (on.T @ on + (1 - on).T @ (1 - on)) / len(on)
    resting = 1 - on.mean(axis=0)
    share = (resting[:, None] + resting) / 2
    for part, misread in (
        (1 - share, marginals.active_read_as_resting()),
        (share, marginals.resting_read_as_active()),
    ):
        # Of two independent misreadings exactly one happens.
        agreement += part * (misread[:, None] + misread - 2 * np.outer(misread, misread))
    rests = (resting >= LEAST_SHARE) & (resting <= 1 - LEAST_SHARE)
    chance = np.outer(resting, resting) + np.outer(1 - resting, 1 - resting)
    beyond = (agreement - chance) / np.maximum(1 - chance, np.finfo(float).tiny)
    apart, *_ = _separated(active, marginals)
    enough = np.where(apart & apart.T, SAME_ACTIVITY, SIMILAR_ACTIVITY)
    together = (beyond >= enough) & rests[:, None] & rests
    _, labels = connected_components(together, directed=False)
    # Labels follow the first member, so the blocks come in order.
    return [np.flatnonzero(labels == label).tolist() for label in range(labels.max() + 1)]
