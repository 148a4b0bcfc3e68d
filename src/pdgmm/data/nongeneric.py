"""Components that cannot be told apart where they meet: a violation of Assumption 3.4."""

from dataclasses import dataclass

import numpy as np
from pydantic import Field

from pdgmm.data.base import Structure
from pdgmm.data.genericity import Component, indistinguishable_pairs
from pdgmm.data.masked_scm import MaskedScmWorld
from pdgmm.data.mixed_scm import MixedScm
from pdgmm.seeds import child_generator


@dataclass(frozen=True, kw_only=True)
class NonGenericWorld(MaskedScmWorld):
    """A masked SCM whose active latents are moved by ``shift`` (n,), masked ones sitting at 0."""

    shift: np.ndarray

    def structure(self) -> Structure:
        """As that of a masked SCM, with the fact ``assumption_3_4``."""
        structure = super().structure()
        alike, meeting = indistinguishable_pairs([self._component(mask) for mask in self.masks])
        structure.facts["assumption_3_4"] = {
            "holds": not alike,
            "why": f"{len(alike)} of {meeting} pairs of components whose supports meet have equal Mahalanobis "
            "distances wherever they meet",
        }
        return structure

    def _in_component(self, source: np.ndarray, component: np.ndarray) -> np.ndarray:
        return super()._in_component(source - self.scm.mean + self.shift, component)

    def _component(self, mask: np.ndarray) -> Component:
        """Mean and covariance of the component that ``mask`` (n,) describes; there is no rotation."""
        mean = np.where(mask, self.shift, self.translation)
        return Component(mean, self.scm.covariance * np.outer(mask, mask))


class NonGeneric(MixedScm):
    """One component a latent, each a line along its axis; all lines meet in the origin, equally far from each mean.

    Component j is ``N(s_j d_j std_j e_j, std_j^2 e_j e_j^T)`` with a random sign s_j: the origin has the
    Mahalanobis distance d_j from it. With ``spread`` 0 all d_j are equal, which breaks Assumption 3.4 as in
    example E.2 of Xu, Lachapelle and Magliacane (2026), there for two latents; all other assumptions hold.
    """

    distance: float = Field(
        1.0, ge=0, description="Mahalanobis distance of the origin from the first component"
    )
    spread: float = Field(
        0.0,
        ge=0,
        description="by what share of `distance` that of the last component is larger, with equal steps "
        "between; 0: all are equal, which breaks Assumption 3.4; above 0 it holds",
    )

    def noiseless(self, seed: int) -> NonGenericWorld:
        """SCM and mixing are those of the generator ``pdgmm``."""
        scm = self.draw_scm(seed)
        signs = child_generator(seed, "signs").choice([-1.0, 1.0], self.n)
        distances = self.distance * (1 + self.spread * np.linspace(0, 1, self.n))
        return NonGenericWorld(
            scm=scm,
            masks=np.eye(self.n, dtype=np.uint8),
            translation=np.zeros(self.n),
            mixing=self.draw_mixing(seed),
            shift=signs * distances * scm.std,
        )
