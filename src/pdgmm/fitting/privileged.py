"""The one door through which a training may see something of the truth, and what stands behind it.

A stage that declares ``privileged = True`` is given a :class:`GroundTruth` by :mod:`pdgmm.steps.train`. No other
stage is, and :class:`pdgmm.fitting.samples.Observations` cannot give it.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np

from pdgmm.errors import UserError
from pdgmm.store import hdf5


@dataclass(frozen=True)
class GroundTruth:
    """The components of the training samples and what they mask; the latents themselves are not in it.

    ``component`` (samples,) is the component of every training sample, in the order of the observations, and
    ``masks`` (J, n) has a one where a component leaves a latent active.
    """

    component: np.ndarray
    masks: np.ndarray

    def __post_init__(self) -> None:
        if self.component.min() < 0 or self.component.max() >= len(self.masks):
            raise UserError(
                f"the components {self.component.min()} to {self.component.max()} of the samples do not fit "
                f"the {len(self.masks)} masks"
            )

    @classmethod
    def from_file(cls, dataset: Path) -> Self:
        """The truth of a dataset's training samples."""
        with hdf5.opened(dataset, "dataset") as file:
            missing = [name for name in ("masks", "train/component") if name not in file]
            if missing:
                raise UserError(
                    f"{dataset} has no {' and no '.join(missing)}: a method that must know which latents are "
                    "active in which sample cannot run on it; take it out of the experiment's methods"
                )
            return cls(file["train/component"][()], file["masks"][()].astype(bool))

    def active(self, most: int | None = None) -> np.ndarray:
        """Which latents are active in each of the first ``most`` training samples: booleans (samples, n)."""
        return self.masks[self.component[:most]].astype(bool)
