"""Sources whose variances differ between segments, with every sample's segment: the data of the identifiable VAE."""

from dataclasses import dataclass

import numpy as np
from pydantic import Field

from pdgmm.data.base import Structure, World
from pdgmm.data.mixing import Mixing, random_mixing
from pdgmm.data.shared_draws import SharedDraws
from pdgmm.seeds import child_generator


@dataclass(frozen=True)
class SegmentsWorld(World):
    """``z ~ N(means_u, diag scales_u^2)`` in segment u, seen through a mixing; both arrays are (segments, n)."""

    observed = ("x", "u")

    means: np.ndarray
    scales: np.ndarray
    mixing: Mixing

    @property
    def n_latents(self) -> int:
        return self.means.shape[1]

    def structure(self) -> Structure:
        """Means and scales of the segments. ``affine``: the code is also scored up to an affine map."""
        arrays = {"segments/means": self.means, "segments/scales": self.scales}
        arrays["affine"] = np.ones(self.n_latents, dtype=np.uint8)
        return Structure(arrays, {"components": len(self.means)})

    def sample(self, split: str, count: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
        u = rng.integers(len(self.means), size=count)
        z = self.means[u] + rng.normal(size=(count, self.n_latents)) * self.scales[u]
        return {"x": self.mixing(z).astype(np.float32), "z": z.astype(np.float32), "u": u}


class Segments(SharedDraws):
    """Independent Gaussian latents whose variances depend on an observed segment u, as in Khemakhem et al. (2020).

    Scales are uniform between 0.5 and 3 there, and means are 0 or uniform between -5 and 5.
    """

    n: int = Field(2, ge=1, description="number of latents, and of observed coordinates")
    segments: int = Field(40, ge=1, description="number of segments, equally likely")
    layers: int = Field(3, ge=1, description="number of linear layers of the mixing")
    largest_mean: float = Field(
        0.0, ge=0, description="means are uniform between -largest_mean and largest_mean"
    )

    def side(self) -> tuple[str, ...]:
        return ("u",)

    def truth(self) -> tuple[str, ...]:
        return ("z",)

    def world(self, draw: int) -> SegmentsWorld:
        rng = child_generator(draw, "segments")
        shape = (self.segments, self.n)
        means = rng.uniform(-self.largest_mean, self.largest_mean, size=shape)
        scales = rng.uniform(0.5, 3.0, size=shape)
        mixing = random_mixing(self.n, self.n, self.layers, child_generator(draw, "mixing"))
        return SegmentsWorld(means, scales, mixing)
