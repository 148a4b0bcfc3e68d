"""What do the latents mean? How much every column moves with every latent."""

from collections.abc import Callable, Sequence

import numpy as np

from pdgmm.analysis.answers import Meaning
from pdgmm.analysis.wording import listed

STEP = 0.1
"""Of the finite differences, in standard deviations of the latent."""

MOST_SAMPLES = 300

NAMED_COLUMNS, NAMED_LATENTS = 3, 10

WORTH_NAMING = 0.5
"""A column is named beside the one that moves most if it moves at least this share of it."""


def regressed(latents: np.ndarray, x: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """A decoder for a method without one: the least-squares regression of ``x`` (samples, columns) on ``latents``."""
    mean, centre = latents.mean(axis=0), x.mean(axis=0)
    slopes = np.linalg.lstsq(latents - mean, x - centre, rcond=None)[0]
    return lambda z: (z - mean) @ slopes + centre


def sensitivity(
    decode: Callable[[np.ndarray], np.ndarray], latents: np.ndarray, x: np.ndarray, columns: Sequence[str]
) -> Meaning:
    """Mean absolute derivatives of a decoder over the data, standardised.

    ``S[i, j] = mean_t |x_j(z_t + h_i e_i) - x_j(z_t - h_i e_i)| / (2 h_i) * std(z_i) / std(x_j)`` with
    ``h_i = 0.1 std(z_i)``, over at most 300 rows of ``latents`` (samples, n), evenly spaced. ``decode`` is the
    inverse of the encoder, (rows, n) to (rows, columns); ``x`` (samples, columns) gives the standard deviations. A
    latent or a column that is constant has sensitivities of 0.
    """
    rows = np.unique(np.linspace(0, len(latents) - 1, min(MOST_SAMPLES, len(latents))).round().astype(int))
    points = np.asarray(latents, dtype=np.float64)[rows]
    deviation = np.asarray(x, dtype=np.float64).std(axis=0)
    varies = deviation > 0
    steps = STEP * np.std(latents, axis=0, dtype=np.float64)
    values = np.zeros((len(steps), len(deviation)))
    for latent in np.flatnonzero(steps):
        shift = np.zeros(len(steps))
        shift[latent] = steps[latent]
        there, back = np.split(np.asarray(decode(np.vstack([points + shift, points - shift]))), 2)
        moved = np.abs(there.astype(np.float64) - back).mean(axis=0)
        values[latent, varies] = moved[varies] / (2 * STEP * deviation[varies])
    return Meaning(columns=list(columns), sensitivity=values.tolist(), sentence=_sentence(values, columns))


def _sentence(values: np.ndarray, columns: Sequence[str]) -> str:
    """The columns that move most with each latent."""
    named = []
    for number, row in enumerate(values[:NAMED_LATENTS], start=1):
        order = np.argsort(-row, kind="stable")[:NAMED_COLUMNS]
        moved = [columns[place] for place in order if row[place] > WORTH_NAMING * row.max()]
        named.append(f"latent {number} moves {listed(moved) if moved else 'nothing'}")
    more = "; the others are in the table" if len(values) > NAMED_LATENTS else ""
    return f"Most of all, {'; '.join(named)}{more}."
