"""What a stage is: settings that can be fitted to observations."""

from abc import abstractmethod
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from pdgmm.encoders.base import Encoder
from pdgmm.observations import Observations
from pdgmm.settings import Settings


@dataclass
class Run:
    """How one fit is carried out: what may change from machine to machine without changing its meaning.

    ``checkpoint`` is a file the fit may write to and resume from (``None``: no checkpoints);
    ``checkpoint_key`` names the fit, so that a checkpoint of another one is ignored.
    ``history`` collects rows such as ``{"step": 100, "loss": 0.3}``; ``notes`` anything else worth keeping
    with the model (JSON values).
    """

    seed: int
    device: str = "cpu"
    checkpoint: Path | None = None
    checkpoint_key: str = ""
    show_progress: bool = False
    history: list[dict[str, float]] = field(default_factory=list)
    notes: dict[str, Any] = field(default_factory=dict)


class Stage(Settings):
    """The settings of a stage, with the one thing it can do.

    A stage module must not import torch or scikit-learn at its top: the config is checked against these
    classes each time the workflow is planned. Import them inside ``fit`` or in the modules that it uses.
    """

    uses_torch: ClassVar[bool] = True
    """Whether ``fit`` needs torch: importing it costs more than a small fit does."""

    def size(self) -> str:
        """What a reader must know beside a score: how long and how large the fit was (``""``: no choice)."""
        return ""

    @abstractmethod
    def fit(self, data: Observations, run: Run) -> Encoder:
        """Learn an encoder from observations alone.

        Raises :class:`pdgmm.errors.FitFailed` when no usable model comes out of it.
        """
