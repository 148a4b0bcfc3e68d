"""How one fit is carried out, and its result."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from pdgmm.models.base import Model


@dataclass
class Run:
    """How one fit is carried out: what may differ between machines without changing the meaning of the fit.

    ``checkpoint`` is a file that the fit may write to and resume from (``None``: no checkpoints). ``checkpoint_key``
    identifies the fit, so that a checkpoint of another fit is ignored. ``history`` collects rows such as
    ``{"step": 100, "loss": 0.3}``, and ``notes`` anything else worth keeping with the model (JSON values).
    """

    seed: int
    device: str = "cpu"
    checkpoint: Path | None = None
    checkpoint_key: str = ""
    show_progress: bool = False
    history: list[dict[str, float]] = field(default_factory=list)
    notes: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Fitted:
    """A model and its claims: what the fit found besides the latents, as arrays that metrics can score.

    Examples: ``supports`` (count, latents), with a one where a latent is active, and ``support_weights`` (count,) are
    the components of the mixture that were found; ``generated`` (count, x_dim) are samples of a generator.
    """

    model: Model
    claims: Mapping[str, np.ndarray] = field(default_factory=dict)
