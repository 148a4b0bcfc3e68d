"""What a metric is: the columns that it computes, and what it needs for that."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np

Direction = Literal["higher", "lower", "neither"]
"""Which values are better."""

DECIMALS = 6
"""Decimals of matrices and lists in score files: enough to read and to draw. Single numbers are not rounded."""


@dataclass(frozen=True)
class Column:
    """A number that a metric gives for a fit, and how tables show it.

    A ``*`` in ``name`` means any text (``ball_*``); a ``*`` in ``title`` is replaced by that text.
    """

    name: str
    title: str
    direction: Direction = "higher"
    digits: int = 3
    chance: str = ""
    """Name of the score that holds its chance level, what a method that knows nothing would reach; empty: none."""
    chance_words: str = "the true latents, decorrelated and rotated at random"
    """What the chance level is measured on, for the caption of a table."""
    on_every_split: bool = False
    """Whether tables show it for every held-out split, or only for the first one."""


@dataclass(frozen=True)
class ScoredSplit:
    """Everything a metric may use: the latents of one fit on one split, and all that is known about them."""

    z_hat: np.ndarray
    """(samples, d) the learned latents."""
    truth: Mapping[str, np.ndarray] = field(default_factory=dict)
    """The truth: ``z`` (samples, n), and arrays that describe the dataset: ``masks``, ``blocks``, ``places``, …"""
    claims: Mapping[str, np.ndarray] = field(default_factory=dict)
    """What else the fit found: ``supports`` (count, d), ``support_weights`` (count,)."""
    other_fits: Sequence[np.ndarray] = ()
    """Learned latents of the same samples by fits with other seeds."""
    other_claims: Sequence[Mapping[str, np.ndarray]] = ()
    """The claims of those fits, in the same order."""


class Metric(ABC):
    """One metric: one file and one line of the catalogue. It is computed if everything it needs exists."""

    columns: ClassVar[tuple[Column, ...]]
    truth: ClassVar[frozenset[str]] = frozenset()
    """Names of the arrays of the truth that it needs."""
    claims: ClassVar[frozenset[str]] = frozenset()
    """Names of the claims of a fit that it needs."""
    compares_fits: ClassVar[bool] = False
    """Whether it compares fits with each other. Such metrics need no truth. Those with a section are computed if an
    experiment asks for them (``between_fits``), the others if there is no truth."""
    section: ClassVar[str] = ""
    """Its place in a score file, if it is computed once per fit and not on every split. ``*`` as in columns."""
    section_title: ClassVar[str] = ""
    """What is added to the titles of its columns then."""

    def runs_on(self, split: ScoredSplit) -> bool:
        """Whether the split has all that the metric needs."""
        if self.compares_fits:
            everyone = [split.claims, *split.other_claims] if self.claims else []
            claimed = all(self.claims <= claims.keys() for claims in everyone)
            wanted = bool(self.section) or "z" not in split.truth
            return wanted and claimed and bool(split.other_fits)
        return self.truth <= split.truth.keys() and self.claims <= split.claims.keys()

    @abstractmethod
    def scores(self, split: ScoredSplit) -> dict[str, Any]:
        """The values of its columns, and what figures need besides, ready for JSON."""
