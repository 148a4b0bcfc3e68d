"""What a stage is: settings that can be fitted to observations."""

from abc import abstractmethod
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from pdgmm.fitting.samples import Observations
from pdgmm.models.base import Encoder
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

    privileged: ClassVar[bool] = False
    """Whether the stage is told the components and masks of the training samples: only a yardstick for the
    others may be. It then has a method ``fit_with_truth(data, truth, run)``, which is called in place of
    ``fit``, with a :class:`pdgmm.fitting.privileged.GroundTruth`."""

    def size(self) -> str:
        """What a reader must know beside a score: how long and how large the fit was (``""``: no choice)."""
        return ""

    published_sizes: ClassVar[tuple[str, ...]] = ()
    """Settings whose defaults are the sizes that the paper ran the stage with; none for a stage of our own."""

    def reduced(self) -> str:
        """In words, what is smaller than in the paper (``steps 3,000 of 80,000``); ``""``: nothing is."""
        parts = []
        for name in self.published_sizes:
            ours, published = getattr(self, name), type(self).model_fields[name].get_default()
            if _is_smaller(ours, published):
                parts.append(f"{name.replace('_', ' ')} {_in_words(ours)} of {_in_words(published)}")
        return ", ".join(parts)

    def learned_latents(self, asked: int) -> int:
        """How many latents the stage learns where ``asked`` are asked for."""
        return asked

    @abstractmethod
    def fit(self, data: Observations, run: Run) -> Encoder:
        """Learn an encoder from observations alone.

        Raises :class:`pdgmm.errors.FitFailed` when no usable model comes out of it.
        """


def _is_smaller(size: int | list[int], published: int | list[int]) -> bool:
    if isinstance(size, list):
        return len(size) < len(published) or any(a < b for a, b in zip(size, published, strict=False))
    return size < published


def _in_words(size: int | list[int]) -> str:
    return "-".join(map(str, size)) if isinstance(size, list) else f"{size:,}"
