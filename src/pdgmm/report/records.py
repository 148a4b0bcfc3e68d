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

    dataset: NotRequired[str]
    """Name of the dataset, with the hash of all its settings."""

    note: NotRequired[str]
    """Sentence under that heading."""

    setting: Mapping[str, Any]
    """The settings of the dataset. Runs with equal settings are averaged over their seeds."""

    method: str
    """``<stage1>+<stage2>`` as the config names them."""

    kind: NotRequired[str]
    """``<stage1>+<stage2>`` as the catalogue names them, where the config gives a stage a name of its own."""

    size: str
    """In words, the effort the method was given: "3,000 steps, width 0.1". Sizes are never averaged."""

    reduced: NotRequired[str]
    """In words, what of that is smaller than in the paper; empty or missing where nothing is."""

    train_samples: NotRequired[int]
    """Samples that the method learned from."""

    seed: int
    status: str
    """``ok``, or one word for what happened (``failed``, ``diverged``)."""

    reason: str
    """Why the run failed; empty where it did not."""

    metrics: Mapping[str, Mapping[str, Any]]
    """Per split, ``r2`` and ``mcc``: the scores of the run. Keys that no table shows are ignored."""

    seconds: float | None
    """Training time of both stages of the method; None where it is not tabulated."""

    stage2_seconds: NotRequired[float | None]
    """Training time of its stage 2."""

    reference: NotRequired[bool]
    """No method but what methods are held against, the true latents: only in tables of what it has."""

    published_table: NotRequired[int | str | None]
    """The paper's table that the experiment repeats; without it nothing is compared."""
