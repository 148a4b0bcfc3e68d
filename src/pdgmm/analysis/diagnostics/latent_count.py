"""How many latents are there? The rank of the data, checked by the likelihood of held-out samples.

Likelihoods of fits with different numbers of latents must be densities of the same thing. So all samples are written
in the first m principal directions of the training samples, m being the largest number that may be tried. A fit with
n latents explains the first n of them, and independent Gaussians with the variances of the training samples explain
the other m - n. What lies beyond m is the same for every n and left out. Directions without variance (noise-free data
with more columns than latents) are never among the m, so no density is infinite.
"""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from pdgmm.analysis.answers import Candidate, Count, Verdict
from pdgmm.analysis.diagnostics.spikes import log_normal
from pdgmm.analysis.wording import counted
from pdgmm.errors import UserError
from pdgmm.estimator import PDGMM
from pdgmm.fitting.whitening import CLEAR_GAP, NUMERICAL_RANK, UNCLEAR_GAP, estimate_n_latents

MOST_LISTED = 50
"""Principal directions whose share of the variance is listed."""

AROUND = 2
"""Numbers of latents that are tried on either side of the rank."""

MOST_FURTHER = 6
"""Numbers beyond those that are tried where the likelihood still rises at the end of them."""

TRAINING_SAMPLES_PER_LATENT = 10
"""No number of latents is tried for which there are fewer."""

MOST_UNCLEAR = 64
"""The highest number to start from where the variances show no clear end of the signal, as those of images do."""

Likelihoods = dict[int, np.ndarray | None]
"""Held-out log-likelihoods (samples,) by number of latents; None where no fit was found."""


def count_latents(
    train: np.ndarray, held_out: np.ndarray, *, asked: int | None = None, starts: int = 4, seed: int = 0
) -> Count:
    """Choose the number of latents of ``train`` (samples, columns), or check the number that was ``asked`` for.

    Candidates are the rank, the two numbers on either side of it, those around the largest fall of the variances
    where there is one, and what was asked for, as far as the samples allow them. While the likelihood chooses the
    first or the last of them, the next number beyond is tried too, a few times. Rows are compared as they are:
    columns in different units should be standardised first.
    """
    train, held_out = np.asarray(train, dtype=np.float64), np.asarray(held_out, dtype=np.float64)
    mean = train.mean(axis=0)
    _, singular, axes = np.linalg.svd(train - mean, full_matrices=False)
    variances = singular**2 / len(train)
    directions = int((variances > variances[0] * NUMERICAL_RANK).sum())
    if directions == 0:
        raise UserError("all rows are the same, so there is nothing to find: give rows that differ")
    with warnings.catch_warnings():
        # What it warns of is in the verdict.
        warnings.simplefilter("ignore", UserWarning)
        rank = estimate_n_latents(train)
    tried = candidates(variances[:directions], rank, asked, len(train))
    most = min(directions, most_latents(len(train)), max(tried, default=0) + MOST_FURTHER)
    inside = [(x - mean) @ axes[:most].T for x in (train, held_out)]
    likelihoods: Likelihoods = {}
    for _ in range(1 + (MOST_FURTHER if asked is None else 0)):
        for n in tried:
            likelihoods[n] = held_out_log_likelihoods(*inside, n, starts=starts, seed=seed)
        tried = next_candidate(likelihoods, most)
    chosen, verdict, sentence = choose(likelihoods, rank, asked, most)
    return Count(
        chosen=chosen,
        asked=asked is not None,
        explained_variance=(variances / variances.sum())[:MOST_LISTED].tolist(),
        rank=rank,
        candidates=[
            Candidate(n=n, held_out_log_likelihood=None if found is None else float(found.mean()))
            for n, found in sorted(likelihoods.items())
        ],
        verdict=verdict,
        sentence=sentence,
    )


def most_latents(samples: int) -> int:
    """The largest number of latents that this many training samples can tell anything about."""
    return samples // TRAINING_SAMPLES_PER_LATENT


def candidates(variances: np.ndarray, rank: int, asked: int | None, samples: int) -> list[int]:
    """The numbers of latents to try, rising, given the principal variances that are not 0, falling.

    What the variances propose is lowered to what the samples allow, and to ``MOST_UNCLEAR`` where their end is
    unclear: that many fits of that many latents would take hours and find noise. Beside a number that was asked for,
    only what needs no lowering is tried.
    """
    most = min(len(variances), most_latents(samples))
    unclear = min(most, MOST_UNCLEAR)
    # A rank below the number of directions is a clear fall.
    highest = {rank: most if rank < len(variances) else unclear}
    if len(variances) > 1:
        falls = variances[:-1] / variances[1:]
        if falls.max() >= UNCLEAR_GAP:
            highest[int(falls.argmax()) + 1] = most if falls.max() >= CLEAR_GAP else unclear
    if asked is None:
        anchors = {min(anchor, limit) for anchor, limit in highest.items()}
    else:
        anchors = {asked} | {anchor for anchor, limit in highest.items() if anchor <= limit}
    near = {anchor + step for anchor in anchors for step in range(-AROUND, AROUND + 1)}
    return sorted(n for n in near if 1 <= n <= most)


def next_candidate(likelihoods: Likelihoods, most: int) -> list[int]:
    """The number beyond those tried, where the likelihood chooses the first or the last of them; else none."""
    good = as_good_as_the_best(likelihoods)
    if good and good[0] == min(likelihoods) > 1:
        return [good[0] - 1]
    if good and good[0] == max(likelihoods) < most:
        return [good[0] + 1]
    return []


def held_out_log_likelihoods(
    train: np.ndarray, held_out: np.ndarray, n: int, *, starts: int, seed: int
) -> np.ndarray | None:
    """Log-likelihoods (samples,) with n latents of samples in principal coordinates (samples, m), m >= n.

    A spike-and-slab density of the first n coordinates, independent Gaussians for the others. None: no fit was found.
    """
    estimator = PDGMM(n_latents=n, nonlinear=False, starts=starts, random_state=seed)
    try:
        with warnings.catch_warnings():
            # A wrong number of latents is tried on purpose.
            warnings.simplefilter("ignore", ConvergenceWarning)
            inside = estimator.fit(train[:, :n]).score_samples(held_out[:, :n])
    except UserError:
        return None
    rest = train[:, n:]
    return inside + log_normal(held_out[:, n:], rest.mean(axis=0), rest.std(axis=0)).sum(axis=1)


def as_good_as_the_best(likelihoods: Likelihoods) -> list[int]:
    """The numbers of latents, rising, whose mean difference from the best one, paired over the samples, is at most
    one standard error of that difference."""
    known = {n: values for n, values in likelihoods.items() if values is not None}
    best = max(known.values(), key=np.mean, default=None)
    return sorted(
        n
        for n, values in known.items()
        if (best - values).mean() <= (best - values).std(ddof=1) / np.sqrt(len(best))
    )


def choose(likelihoods: Likelihoods, rank: int, asked: int | None, most: int) -> tuple[int, Verdict, str]:
    """The number of latents, with verdict and sentence.

    The smallest that is as good as the best wins, unless the rank is one of them. At most ``most`` could be tried.
    """
    good = as_good_as_the_best(likelihoods)
    smallest = good[0] if good else max(1, min(rank, most))
    chosen = asked or (rank if rank in good else smallest)
    latents, verdict = counted(chosen, "latent"), "doubtful"
    if not good:
        return chosen, "unknown", f"{latents}: no fit could be compared, so this was not checked."
    if asked is not None:
        if asked in good and asked in (rank, smallest):
            return asked, "holds", f"{latents}, as asked for: new samples are explained best so."
        compared = "as well" if asked in good else "better"
        return asked, verdict, f"{latents}, as asked for, but {smallest} explain new samples {compared}."
    if smallest == rank:
        verdict, how = "holds", "the rank of the data and the likelihood of new samples agree."
    elif rank in good:
        how = (
            f"this is the rank of the data, but {smallest} explain new samples as well; some of the latents may be "
            "noise."
        )
    elif rank > most:
        how = (
            f"new samples are explained best so, of at most {most} that were tried. The data vary in {rank} "
            "directions, which is more than can be told apart here; give the number if it is known."
        )
    else:
        how = (
            f"new samples are explained best so, while the rank of the data is {rank}. Noise or a curved mixing can "
            "make the two differ; give the number if it is known."
        )
    return chosen, verdict, f"{latents}: {how}"
