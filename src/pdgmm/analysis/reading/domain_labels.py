"""The domain of every row: a column of a user's file whose values, numbers or words, name a site, batch or year."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from pandas.api import types

from pdgmm.analysis.wording import first_few
from pdgmm.errors import UserError


class Domains(NamedTuple):
    """The ``names`` of the domains, and for every row the place ``u`` (rows,) of its domain among them."""

    names: tuple[str, ...]
    u: np.ndarray

    @property
    def counts(self) -> list[int]:
        """How many rows there are in each domain."""
        return np.bincount(self.u, minlength=len(self.names)).tolist()


def label_texts(column: pd.Series, path: Path, rows: np.ndarray) -> np.ndarray:
    """The names (rows,) of the domains in a block; 1 and 1.0 are the same one. ``rows`` are numbers from 0."""
    if (gaps := column.isna().to_numpy()).any():
        raise UserError(
            f"{path}: column {column.name!r} names no domain in {gaps.sum()} rows (the first is row "
            f"{rows[gaps][0] + 1}): fill it in, or leave these rows out of the file"
        )
    if types.is_numeric_dtype(column) and not types.is_bool_dtype(column):
        return np.array([f"{value:.15g}" for value in column], dtype=object)
    return column.astype(str).str.strip().to_numpy(object)


def numbered(texts: np.ndarray) -> Domains:
    """Domains in the order of their names, or of their values if all names are numbers."""
    found = set(texts)
    try:
        names = sorted(found, key=float)
    except ValueError:
        names = sorted(found)
    return Domains(tuple(names), placed(texts, names))


def placed(texts: np.ndarray, names: Sequence[str]) -> np.ndarray:
    """(rows,) the place of each text among ``names``; a ``KeyError`` for one that is not there."""
    places = {name: place for place, name in enumerate(names)}
    return np.array([places[text] for text in texts], dtype=np.int64)


def check_domains(domains: Domains, fewest: int, path: Path, column: str) -> None:
    """A :class:`UserError` unless there are two domains or more, each with at least the ``fewest`` rows."""
    if len(domains.names) < 2:
        raise UserError(
            f"{path}: column {column!r} names one domain only, {domains.names[0]!r}: give rows of at least two, or "
            f"leave out --domain-column and say --drop-columns {column!r}"
        )
    small = [
        f"{name!r} {rows}" for name, rows in zip(domains.names, domains.counts, strict=True) if rows < fewest
    ]
    if small:
        raise UserError(
            f"{path}: {len(small)} of {len(domains.names)} domains in column {column!r} have fewer than {fewest} "
            f"rows: {first_few(small)}. Give more rows of each, join it with another, or leave it out of the file"
        )
