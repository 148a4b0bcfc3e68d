"""Which latents are found again when other rows of the data are taken, and which of them can be trusted?"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from pdgmm.analysis.answers import Identified, IdentifiedLatent, Verdict
from pdgmm.analysis.diagnostics.canonical import held_out_canonical_correlations, held_out_prediction
from pdgmm.analysis.diagnostics.spikes import Marginals, SpikeEvidence
from pdgmm.analysis.diagnostics.variability import frozen_blocks
from pdgmm.analysis.wording import count_of, percent
from pdgmm.analysis.wording import latents as named
from pdgmm.errors import UserError
from pdgmm.evaluation.block_r2 import match_blocks
from pdgmm.evaluation.correlation import UNMATCHED, correlation
from pdgmm.evaluation.mcc import mcc

STABLE_MEAN, STABLE_SMALLEST = 0.95, 0.9
"""A latent is stable if its correlation over the refits is at least this in the mean, and in the worst refit."""

ENOUGH_REFITS = 5

SAMPLES_PER_LATENT = 8
"""Both halves of the samples need a few for each latent."""


@dataclass(frozen=True)
class Comparison:
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
    """Compare latents (samples, n) with those of a refit (samples, d) of the same samples.

    Everything that is chosen (assignments, linear maps) is chosen on the first half of the samples, so a lucky
    choice does not count in the second half, which is scored. Weak MCC is the mean correlation of canonical
    variables: the analysis pairs them on the first half, the second half is transformed by it. A single latent has no
    canonical variable of its own, so its weak score is that of its linear prediction.
    """
    samples, n = reference.shape
    needed = SAMPLES_PER_LATENT * max(n, refit.shape[1])
    if samples < needed:
        raise UserError(f"{samples} samples are too few to compare {n} latents: at least {needed} are needed")
    half = samples // 2
    first, second = (reference[:half], refit[:half]), (reference[half:], refit[half:])
    assignment = mcc(*first).assignment
    scores = np.abs(correlation(*second))
    strong = np.where(assignment == UNMATCHED, 0.0, scores[np.arange(n), assignment])
    weak = held_out_prediction((first[0], second[0]), (first[1], second[1]))
    aligned = held_out_canonical_correlations((first[0], second[0]), (first[1], second[1]))
    # Where the refit has fewer latents than the reference, the others have no partner.
    return Comparison(strong, weak, aligned.sum() / n, _block_scores(first, second, strong, blocks))


def identified(
    reference: np.ndarray,
    refits: Sequence[np.ndarray],
    active: np.ndarray,
    spikes: Sequence[SpikeEvidence],
    *,
    marginals: Marginals | None = None,
    inseparable: Collection[int] = (),
    fitted_rows_too: bool = False,
) -> Identified:
    """Judge every latent by refits on resampled data.

    ``reference`` (samples, n) and each of ``refits`` (samples, d) are latents of the same samples, ``active``
    (samples, n) is their activity in the reference fit, and ``inseparable`` are the latents, counted from 1, for
    which the data lack variability. A latent is trusted if it is stable, has a spike of its own that new samples
    confirm, and is not inseparable. A latent of a block of several is not: within the block any mixture of them
    explains the data as well. The block itself may be stable.
    """
    blocks = frozen_blocks(active, marginals)
    comparisons = [compare(reference, refit, blocks) for refit in refits]
    n = reference.shape[1]
    strong = np.array([one.strong for one in comparisons]).reshape(-1, n)
    weak = np.array([one.weak for one in comparisons]).reshape(-1, n)
    block_scores = np.array([one.blocks for one in comparisons]).reshape(-1, len(blocks))
    found: list[IdentifiedLatent] = []
    for latent, spike in enumerate(spikes):
        place = next(number for number, block in enumerate(blocks) if latent in block)
        doubts = _doubts(latent, blocks[place], block_scores[:, place], spike, latent + 1 in inseparable)
        found.append(
            IdentifiedLatent(
                latent=latent + 1,
                strong=_mean(strong[:, latent]),
                weak=_mean(weak[:, latent]),
                block=place + 1,
                trusted=not doubts,
                reason="; ".join(doubts) or _grounds(strong[:, latent], spike),
            )
        )
    together = [
        block
        for block, scores in zip(blocks, block_scores.T, strict=True)
        if len(block) > 1 and _stable(scores) and all(spikes[latent].present for latent in block)
    ]
    verdict, sentence = _summary(found, together, len(refits))
    return Identified(
        fits=len(refits),
        strong_mcc=float(np.mean([entry.strong for entry in found])) if refits else None,
        weak_mcc=_mean(np.array([one.aligned for one in comparisons])),
        latents=found,
        blocks=[_from_one(block) for block in blocks],
        compared_rows=len(reference),
        fitted_rows_too=fitted_rows_too,
        verdict=verdict,
        sentence=sentence,
    )


def _block_scores(
    first: tuple[np.ndarray, np.ndarray],
    second: tuple[np.ndarray, np.ndarray],
    strong: np.ndarray,
    blocks: Sequence[Sequence[int]],
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
        elif UNMATCHED in partners:
            scores[number] = 0.0
        else:
            scores[number] = held_out_canonical_correlations(
                (first[0][:, block], second[0][:, block]), (first[1][:, partners], second[1][:, partners])
            ).min()
    return scores


def _stable(scores: np.ndarray) -> bool:
    return len(scores) > 0 and scores.mean() >= STABLE_MEAN and scores.min() >= STABLE_SMALLEST


def _mean(scores: np.ndarray) -> float | None:
    return float(scores.mean()) if len(scores) else None


def _from_one(latents: Iterable[int]) -> list[int]:
    """Numbers of latents as readers count them."""
    return [latent + 1 for latent in latents]


def _doubts(
    latent: int, block: Sequence[int], scores: np.ndarray, spike: SpikeEvidence, inseparable: bool
) -> list[str]:
    doubts = []
    if len(scores) == 0:
        doubts.append("nothing was refitted, so nothing is known of its stability")
    elif len(block) > 1:
        others = _from_one(other for other in block if other != latent)
        found = "which is found again" if _stable(scores) else "and even the block is not found again"
        doubts.append(
            f"it always rests together with {named(others)}: only the block is identified, {found} "
            f"(smallest canonical correlation {scores.mean():.2f} on average, {scores.min():.2f} at worst)"
        )
    elif not _stable(scores):
        doubts.append(
            "other samples of the same data give another latent "
            f"(correlation {scores.mean():.2f} on average, {scores.min():.2f} at worst)"
        )
    doubts += spike.doubts
    if inseparable and len(block) == 1 and spike.present:
        doubts.append("another latent is never active without it, so it may hold a share of that one")
    return doubts


def _grounds(scores: np.ndarray, spike: SpikeEvidence) -> str:
    return (
        f"found again in every refit (correlation {scores.mean():.2f} on average, {scores.min():.2f} at worst), "
        f"and at rest in {percent(spike.share)} of the samples"
    )


def _summary(
    found: Sequence[IdentifiedLatent], together: Sequence[Sequence[int]], refits: int
) -> tuple[Verdict, str]:
    if refits == 0:
        return (
            "unknown",
            "Nothing was refitted on other samples, so it is not known which latents are stable.",
        )
    trusted = [entry.latent for entry in found if entry.trusted]
    few = ""
    if refits < ENOUGH_REFITS:
        few = f" Only {count_of(refits, 'refit')} were made, {ENOUGH_REFITS} or more say it more surely."
    blocks = "".join(
        f" {named(_from_one(block)).capitalize()} are identified as a block, not one by one."
        for block in together
    )
    if len(trusted) == len(found):
        return "holds", f"All {len(found)} latents are found again in refits and can be interpreted.{few}"
    if not trusted and not together:
        return "violated", f"No latent can be trusted: do not interpret any of them.{few}"
    which = f"Only {named(trusted)} can be trusted" if trusted else "No single latent can be trusted"
    return "doubtful", f"{which}, of {len(found)}.{blocks}{few}"
