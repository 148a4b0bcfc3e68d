"""Which latents are found again when other rows of the data are taken, and which of them can be trusted?"""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from pdgmm.analysis.answers import Identified, IdentifiedLatent, Verdict
from pdgmm.analysis.diagnostics.failed_assumptions import Doubt
from pdgmm.analysis.diagnostics.spikes import Marginals, SpikeEvidence
from pdgmm.analysis.diagnostics.variability import frozen_blocks
from pdgmm.analysis.wording import latents as named
from pdgmm.analysis.wording import percent
from pdgmm.evaluation.correlation import centred, correlation
from pdgmm.evaluation.mcc import mcc
from pdgmm.evaluation.r2 import match_blocks

STABLE_MEAN, STABLE_SMALLEST = 0.95, 0.9
"""A latent is stable if its correlation over the refits is at least this in the mean, and in the worst refit."""

RANK_TOLERANCE = 1e-10
"""Directions with a smaller share of the largest singular value of standardised columns do not count."""

NOT_FOUND, NO_REST, IN_BLOCK, NOT_APART = (
    "other rows of the data give another latent",
    "no rest at one sharp value",
    "rests only together with others",
    "may hold a share of another latent",
)
"""Doubts in a few words."""

Pair = tuple[np.ndarray, np.ndarray]
"""Columns (samples, a) and (samples, b) of the same samples."""


class Comparison(NamedTuple):
    """How a refit agrees with the reference: fitted on the first half of the samples, measured on the second."""

    strong: np.ndarray
    """(n,) absolute correlation of each latent with the one latent of the refit that is assigned to it."""

    weak: np.ndarray
    """(n,) absolute correlation of each latent with its best linear prediction from all latents of the refit."""

    aligned: float
    """Mean correlation after a canonical correlation analysis: weak MCC."""

    blocks: np.ndarray
    """(b,) smallest canonical correlation of each block with the latents of the refit assigned to it."""


def compare(reference: np.ndarray, refit: np.ndarray, blocks: Sequence[Sequence[int]]) -> Comparison:
    """Compare latents (samples, n) with those of a refit, of the same samples and as many.

    Everything that is chosen (assignments, linear maps) is chosen on the first half of the samples, so a lucky
    choice does not count in the second half, which is scored. A single latent has no canonical variable of its own,
    so its weak score is that of its linear prediction.
    """
    samples, n = reference.shape
    half = samples // 2
    first, second = (reference[:half], refit[:half]), (reference[half:], refit[half:])
    strong = np.abs(correlation(*second))[np.arange(n), mcc(*first).assignment]
    aligned = held_out_canonical_correlations(first, second).mean()
    block_scores = _block_scores(first, second, strong, blocks)
    return Comparison(strong, held_out_prediction(first, second), aligned, block_scores)


def identified(
    reference: np.ndarray,
    refits: Sequence[np.ndarray],
    active: np.ndarray,
    spikes: Sequence[SpikeEvidence],
    marginals: Marginals,
    inseparable: Collection[int] = (),
    failed: Sequence[Sequence[Doubt]] = (),
    fitted_rows_too: bool = False,
) -> Identified:
    """Judge every latent by refits on resampled data.

    ``reference`` and each of ``refits`` (samples, n) are latents of the same samples, ``active`` (samples, n) is
    their activity in the reference fit, and ``inseparable`` are the latents, counted from 1, for which the data lack
    variability, and ``failed`` are the doubts on each latent from checks of assumptions. A latent is trusted if it is
    stable, has a spike of its own that new samples confirm, is not inseparable, and no check has failed. A latent of
    a block of several is not: within the block any mixture of them explains the data as well. The block itself may be
    stable.
    """
    blocks = frozen_blocks(active, marginals)
    comparisons = [compare(reference, refit, blocks) for refit in refits]
    strong, weak, aligned, block_scores = map(np.array, zip(*comparisons, strict=True))
    found: list[IdentifiedLatent] = []
    for latent, spike in enumerate(spikes):
        place = next(number for number, block in enumerate(blocks) if latent in block)
        doubts = _doubts(latent, blocks[place], block_scores[:, place], spike, latent + 1 in inseparable)
        doubts += failed[latent] if failed else []
        grounds = (
            f"found again in every refit (correlation {in_words(strong[:, latent])}), "
            f"and at rest in {percent(spike.share)} of the samples"
        )
        found.append(
            IdentifiedLatent(
                latent=latent + 1,
                strong=float(strong[:, latent].mean()),
                weak=float(weak[:, latent].mean()),
                block=place + 1,
                trusted=not doubts,
                reason="; ".join(words for _, words in doubts) or grounds,
                doubts=list(dict.fromkeys(doubt for doubt, _ in doubts)),
            )
        )
    together = [
        block
        for block, scores in zip(blocks, block_scores.T, strict=True)
        if len(block) > 1 and is_stable(scores) and all(spikes[latent].present for latent in block)
    ]
    verdict, sentence = _summary(found, together)
    return Identified(
        fits=len(refits),
        strong_mcc=float(np.mean([entry.strong for entry in found])),
        weak_mcc=float(aligned.mean()),
        latents=found,
        blocks=[_from_one(block) for block in blocks],
        compared_rows=len(reference),
        fitted_rows_too=fitted_rows_too,
        verdict=verdict,
        sentence=sentence,
    )


def _block_scores(
    first: Pair, second: Pair, strong: np.ndarray, blocks: Sequence[Sequence[int]]
) -> np.ndarray:
    if all(len(block) == 1 for block in blocks):
        return strong[[block[0] for block in blocks]]
    of_latent = np.empty(len(strong), dtype=int)
    for number, block in enumerate(blocks):
        of_latent[list(block)] = number
    # The assignment by single correlations may tear a block apart that the refit holds in another basis.
    assigned = np.split(
        match_blocks(*first, of_latent).assignment, np.cumsum([len(block) for block in blocks])[:-1]
    )
    scores = np.empty(len(blocks))
    for number, (block, partners) in enumerate(zip(blocks, assigned, strict=True)):
        if len(block) == 1:
            scores[number] = strong[block[0]]
        else:
            both = [(reference[:, block], refit[:, partners]) for reference, refit in (first, second)]
            scores[number] = held_out_canonical_correlations(*both).min()
    return scores


def is_stable(scores: np.ndarray) -> bool:
    """Whether the correlations (refits,) of a latent or a block are high enough in the mean and at worst."""
    return scores.mean() >= STABLE_MEAN and scores.min() >= STABLE_SMALLEST


def in_words(scores: np.ndarray) -> str:
    """The correlations (refits,) of a latent."""
    return f"{scores.mean():.2f} on average, {scores.min():.2f} at worst"


def _from_one(latents: Iterable[int]) -> list[int]:
    """Numbers of latents as readers count them."""
    return [latent + 1 for latent in latents]


def _doubts(
    latent: int, block: Sequence[int], scores: np.ndarray, spike: SpikeEvidence, inseparable: bool
) -> list[Doubt]:
    """What speaks against a latent."""
    doubts = []
    if len(block) > 1:
        others = _from_one(other for other in block if other != latent)
        found = "which is found again" if is_stable(scores) else "and even the block is not found again"
        words = (
            f"it rests together with {named(others)}: only the block is identified, {found} "
            f"(smallest canonical correlation {in_words(scores)})"
        )
        doubts.append((IN_BLOCK, words))
    elif not is_stable(scores):
        words = f"other samples of the same data give another latent (correlation {in_words(scores)})"
        doubts.append((NOT_FOUND, words))
    doubts += [(NO_REST, words) for words in spike.doubts]
    if inseparable and len(block) == 1 and spike.present:
        words = "another latent is never active without it, so it may hold a share of that one"
        doubts.append((NOT_APART, words))
    return doubts


def _summary(found: Sequence[IdentifiedLatent], together: Sequence[Sequence[int]]) -> tuple[Verdict, str]:
    trusted = [entry.latent for entry in found if entry.trusted]
    if len(trusted) == len(found):
        return "holds", f"All {len(found)} latents are found again in refits and can be interpreted."
    if not trusted and not together:
        return "violated", "No latent can be trusted: do not interpret any of them."
    which = f"Only {named(trusted)} can be trusted" if trusted else "No single latent can be trusted"
    blocks = "".join(
        f" {named(_from_one(block)).capitalize()} are identified as a block, not one by one."
        for block in together
    )
    return "doubtful", f"{which}, of {len(found)}.{blocks}"


def held_out_canonical_correlations(fit: Pair, measure: Pair) -> np.ndarray:
    """The canonical correlations (min(a, b),) of two sets of columns, largest first, out of sample.

    In closed form: with whitened columns ``A`` and ``B`` the singular vectors of ``A^T B = U S V^T`` give the
    canonical variables ``A U`` and ``B V`` (Björck and Golub, 1973). A set that varies in fewer directions than it
    has columns leaves correlations of 0.
    """
    (white_a, map_a), (white_b, map_b) = map(_whitened, fit)
    left, _, right = np.linalg.svd(white_a.T @ white_b, full_matrices=False)
    correlations = _columnwise(measure[0] @ map_a @ left, measure[1] @ map_b @ right.T)
    missing = min(fit[0].shape[1], fit[1].shape[1]) - len(correlations)
    return np.sort(np.append(np.abs(correlations), np.zeros(missing)))[::-1]


def held_out_prediction(fit: Pair, measure: Pair) -> np.ndarray:
    """The absolute correlation (a,) of every first column with its prediction from the second ones, least squares."""
    white, matrix = _whitened(fit[1])
    weights = white.T @ (fit[0] - fit[0].mean(axis=0))
    return np.abs(_columnwise(measure[0], measure[1] @ matrix @ weights))


def _whitened(columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The centred columns (samples, d) times a matrix (d, rank) that makes them orthonormal, and the matrix."""
    around = columns - columns.mean(axis=0)
    size = np.linalg.norm(around, axis=0)
    size = np.where(size > 0, size, 1.0)
    _, singular, axes = np.linalg.svd(around / size, full_matrices=False)
    kept = singular > singular.max(initial=0.0) * RANK_TOLERANCE
    matrix = axes[kept].T / size[:, None] / singular[kept]
    return around @ matrix, matrix


def _columnwise(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The correlation of each column of ``a`` with the same one of ``b``; 0 where one is constant."""
    a, b = centred(a), centred(b)
    norms = np.linalg.norm(a, axis=0) * np.linalg.norm(b, axis=0)
    return (a * b).sum(axis=0) / np.where(norms > 0, norms, 1.0)
