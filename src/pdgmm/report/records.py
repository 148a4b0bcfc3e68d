"""What the report is made of: one record a run."""

from collections.abc import Mapping
from typing import Any, NotRequired, TypedDict

OK = "ok"


class Record(TypedDict):
    """A run and its scores."""

    experiment: str
    """Name of the experiment; each gets tables of its own."""

    title: NotRequired[str]
    """Heading of the experiment's tables; its name by default."""

    setting: Mapping[str, Any]
    """The settings of the dataset. Runs with equal settings are averaged over their seeds."""

    method: str
    """``<stage1>+<stage2>`` as the config names them."""

    kind: NotRequired[str]
    """``<stage1>+<stage2>`` as the catalogue names them, where the config gives a stage a name of its own."""

    size: str
    """In words, the effort the method was given: "3,000 steps, width 0.1". Sizes are never averaged."""

    seed: int
    status: str
    """``ok``, or one word for what happened (``failed``, ``diverged``)."""

    reason: str
    """Why the run failed; empty where it did not."""

    metrics: Mapping[str, Mapping[str, Any]]
    """Per split, ``r2`` and ``mcc``: the scores of the run. Keys that no table shows are ignored."""

    seconds: float | None
    """Training time of all stages of the method."""

    published_table: NotRequired[int | str | None]
    """The paper's table that the experiment repeats; without it nothing is compared."""
