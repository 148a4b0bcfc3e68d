"""Latents of a Gaussian mixture without degenerate components."""

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from pdgmm.data.masked_scm import MaskedScm, MaskedScmWorld, MixedScm
from pdgmm.data.masks import draw_masks
from pdgmm.data.scm import rotation_matrix
from pdgmm.seeds import child_generator


@dataclass(frozen=True, kw_only=True)
class GmmWorld(MaskedScmWorld):
    """Component j is ``m_j + (z - E[z]) * s_j`` of SCM latents z, with ``component_means`` m (J, n) and scales.

    The scales s (J, n) are positive, so every covariance ``diag(s_j) Cov[z] diag(s_j)`` has full rank: nothing
    is masked, and ``masks`` are all one.
    """

    component_means: np.ndarray
    component_scales: np.ndarray

    def _in_component(self, source: np.ndarray, component: np.ndarray) -> np.ndarray:
        deviation = source - self.scm.mean
        return self.component_means[component] + deviation * self.component_scales[component]


class Gmm(MixedScm):
    """A Gaussian mixture whose components have different means and covariances, all of full rank.

    The setting in which Xu, Lachapelle and Magliacane (2026) compare with VaDE (appendix D.7). They do not
    define it further and sweep the share of active latents there, too. Here a component leaves the latents
    that ``rho`` makes active as the SCM gives them and narrows the others by ``narrow``, where the generator
    ``pdgmm`` sets them to a constant: ``pdgmm`` is the limit ``narrow -> 0`` without ``separation``.
    """

    rho: Literal["1var"] | Annotated[float, Field(gt=0, lt=1)] = Field(
        0.5,
        description="fraction (0 to 1) of the latents that keep the width of the SCM in a component, rounded "
        'down; "1var": one latent. The others are narrowed',
    )
    narrow: float = Field(
        0.5, gt=0, description="factor on the standard deviation of the latents that a component narrows"
    )
    separation: float = Field(
        2.0,
        ge=0,
        description="standard deviation of the components' means around the mean of the SCM, in standard "
        "deviations of each latent",
    )
    theta: float = MaskedScm.changed("theta", 0.0)

    def noiseless(self, seed: int) -> GmmWorld:
        """SCM, mixing and active latents are those of the generator ``pdgmm``."""
        scm = self.draw_scm(seed)
        wide = draw_masks(self.n, self.rho, child_generator(seed, "masks"))
        shifts = child_generator(seed, "component means").standard_normal(wide.shape)
        return GmmWorld(
            scm=scm,
            masks=np.ones_like(wide),
            translation=scm.mean,
            mixing=self.draw_mixing(seed),
            rotation=rotation_matrix(self.n, self.theta) if self.theta != 0 else None,
            component_means=scm.mean + self.separation * shifts * scm.std,
            component_scales=np.where(wide, 1.0, self.narrow),
        )
