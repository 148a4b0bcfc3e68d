"""What the report is made of: one record a run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

OK = "ok"
REFERENCE = "reference"
"""The role of what is not a method but what methods are compared with: the true latents."""


@dataclass(frozen=True)
class Record:
    """A run and its scores."""

    experiment: str
    """Name of the experiment; each gets tables of its own."""
    setting: Mapping[str, Any]
    """Settings of the dataset and swept ones of the method. Runs with equal settings are averaged over their seeds."""
    method: str
    """The chain as the config names it."""
    seed: int
    kind: str = ""
    """The chain by the catalogue's names."""
    role: str = "baseline"
    """``ours``, ``baseline`` or ``reference``; what a published column reports becomes ``paper`` in the tables."""
    told: Sequence[str] = ()
    """The truth that the method is given, by its names."""
    size: str = ""
    """In words, the effort the method was given: "3,000 steps, width 0.1". Sizes are never averaged."""
    reduced: str = ""
    """In words, what of that is smaller than in the paper; empty where nothing is."""
    dataset: str = ""
    train_samples: int | None = None
    status: str = OK
    """``ok``, or one word for what happened (``failed``, ``diverged``)."""
    reason: str = ""
    """Why the run failed; empty where it did not."""
    metrics: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Scores by place and name, in the order of the places; see :mod:`pdgmm.report.table_columns`."""
    published_table: str | None = None
    """The ``<paper>/<table>`` that the experiment repeats; without it nothing is compared."""

    def score(self, place: str, name: str) -> float | None:
        """A number; None where the run has none, or failed."""
        return self.metrics.get(place, {}).get(name) if self.status == OK else None
