"""Which rows are fitted, and which are held out; of data from several domains, the same share of each."""

from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd

from pdgmm.seeds import child_generator

HELD_OUT_SHARE, MOST_HELD_OUT = 0.2, 10_000
"""Rows that no fit sees: likelihoods and agreement are measured on them."""

RESAMPLED_SHARE = 0.8
"""Share of the other rows, drawn without replacement, that each further fit sees."""

HELD_OUT_ROWS_PER_LATENT = 50
"""With fewer, the fits are compared on the rows that they saw as well."""

ROUNDING = 1e-6
"""Codes are in single precision."""


class Rows(NamedTuple):
    """Standardised rows ``x`` (rows, columns), with the domain ``u`` (rows,) of each if there are several."""

    x: np.ndarray
    u: np.ndarray | None = None

    def taken(self, places: np.ndarray | slice) -> Self:
        """Some of the rows."""
        return type(self)(self.x[places], None if self.u is None else self.u[places])

    def with_rows(self, others: Self) -> Self:
        """These rows, then the others."""
        u = None if self.u is None else np.concatenate([self.u, others.u])
        return type(self)(np.vstack([self.x, others.x]), u)

    def latents(self, fit: Any) -> np.ndarray:
        """The latents (rows, n) under a fit."""
        return fit.transform(self.x) if self.u is None else fit.transform(self.x, self.u)

    def inside_domains(self, values: np.ndarray) -> np.ndarray:
        """``values`` (rows, n) minus their mean in the domain of the row; without domains as they are.

        What only differs between domains would else look like agreement, and like dependence.
        """
        if self.u is None:
            return values
        inside = values - pd.DataFrame(values).groupby(self.u).transform("mean").to_numpy()
        # Of a latent that is constant in every domain only rounding is left, which is no agreement either.
        return np.where(inside.std(axis=0) > ROUNDING * values.std(axis=0), inside, 0.0)


def held_out_count(rows: int) -> int:
    """How many of so many rows are held out."""
    return min(MOST_HELD_OUT, int(HELD_OUT_SHARE * rows))


def split(rows: Rows, seed: int) -> tuple[Rows, Rows]:
    """The rows to fit, and those that no fit sees, both in random order."""
    order = child_generator(seed, "held out").permutation(len(rows.x))
    held = _first(order, held_out_count(len(order)), rows.u)
    return rows.taken(order[~held]), rows.taken(order[held])


def compared_rows(train: Rows, held_out: Rows, n_latents: int) -> tuple[Rows, bool]:
    """The rows on which fits are compared, the same for every fit, and whether they are all rows.

    With few held-out ones all rows serve, fitted or not, and the page says so.
    """
    seen_too = len(held_out.x) < HELD_OUT_ROWS_PER_LATENT * n_latents
    return (train.with_rows(held_out) if seen_too else held_out), seen_too


def resampled(rows: Rows, seed: int, number: int) -> Rows:
    """The rows of the further fit with this number."""
    order = child_generator(seed, "resampled", number).permutation(len(rows.x))
    return rows.taken(np.sort(order[_first(order, int(RESAMPLED_SHARE * len(order)), rows.u)]))


def _first(order: np.ndarray, count: int, u: np.ndarray | None) -> np.ndarray:
    """(rows,) True for the first ``count`` rows in ``order``; with domains, for as large a share of each domain."""
    own = pd.Series(np.zeros(len(order), np.int64) if u is None else u[order])
    by_domain = own.groupby(own)
    sizes = by_domain.transform("size").to_numpy()
    return by_domain.cumcount().to_numpy() * len(order) < count * sizes
