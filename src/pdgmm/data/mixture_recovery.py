"""True Gaussian mixtures behind injective networks: what methods with a mixture prior should recover."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from pydantic import Field, model_validator

from pdgmm.data.base import Structure, World
from pdgmm.data.leaky_decoder import LeakyDecoder, random_decoder
from pdgmm.data.shared_draws import SharedDraws
from pdgmm.seeds import child_generator

Width = Annotated[int, Field(ge=1)]

LATENTS_FOR_BENDS = 2000


@dataclass(frozen=True)
class DiagonalMixture:
    """``sum_j weights_j N(means_j, diag scales_j^2)``: (J,), (J, n) and (J, n)."""

    weights: np.ndarray
    means: np.ndarray
    scales: np.ndarray

    def sample(self, count: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Latents (count, n) and their components (count,)."""
        component = rng.choice(len(self.weights), size=count, p=self.weights)
        noise = rng.normal(size=(count, self.means.shape[1]))
        return self.means[component] + noise * self.scales[component], component


@dataclass(frozen=True)
class RecoveryWorld(World):
    """``x = f(z) + noise``, where z comes from a mixture and f is an injective network."""

    mixture: DiagonalMixture
    decoder: LeakyDecoder
    noise: float

    @property
    def n_latents(self) -> int:
        return self.mixture.means.shape[1]

    def structure(self) -> Structure:
        """The mixture and the network. ``affine`` says that the latents are determined up to an affine map."""
        arrays = {f"mixture/{name}": getattr(self.mixture, name) for name in ("weights", "means", "scales")}
        arrays["affine"] = np.ones(self.n_latents, dtype=np.uint8)
        for place, weight in enumerate(self.decoder.weights):
            arrays[f"decoder/weight_{place}"] = weight
            arrays[f"decoder/bias_{place}"] = self.decoder.biases[place]
        return Structure(arrays, {"components": len(self.mixture.weights)})

    def sample(self, split: str, count: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
        z, component = self.mixture.sample(count, rng)
        x = self.decoder(z)
        x += self.noise * rng.normal(size=x.shape)
        return {"x": x.astype(np.float32), "z": z.astype(np.float32), "component": component}


class MixtureRecovery(SharedDraws):
    """Latents of a Gaussian mixture with diagonal covariances, seen through an injective network.

    The model of Kivva et al. (2022) itself: theorem 3.2 determines the latents up to an affine map, and theorem
    E.1 single latents, since the ratios of the components' variances differ.
    """

    n: int = Field(2, ge=1, description="number of latents")
    components: int = Field(4, ge=1, description="number of components of the mixture")
    separation: float = Field(2.0, ge=0, description="standard deviation of the components' means")
    narrowest: float = Field(0.3, gt=0, description="smallest standard deviation of a latent in a component")
    widest: float = Field(1.5, gt=0, description="largest standard deviation of a latent in a component")
    widths: list[Width] = Field(
        [8, 8],
        description="units of the hidden layers, starting at the latents; none may be narrower than the one before",
    )
    x_dim: int = Field(
        8, ge=1, description="number of observed coordinates, at least the units of the last layer"
    )
    slope: float = Field(0.2, gt=0, le=1, description="slope of the leaky ReLUs below zero")
    noise: float = Field(0.0, ge=0, description="standard deviation of the noise on the observations")

    @model_validator(mode="after")
    def _injective(self) -> "MixtureRecovery":
        sizes = [self.n, *self.widths, self.x_dim]
        if sizes != sorted(sizes):
            raise ValueError(
                f"the layers {sizes} get narrower, so that the network is not injective: let them grow, n first and "
                "x_dim last"
            )
        return self

    def truth(self) -> tuple[str, ...]:
        return ("component", "z")

    def world(self, draw: int) -> RecoveryWorld:
        rng = child_generator(draw, "mixture")
        shape = (self.components, self.n)
        low, high = np.log(self.narrowest), np.log(max(self.narrowest, self.widest))
        mixture = DiagonalMixture(
            weights=rng.dirichlet(5 * np.ones(self.components)),
            means=self.separation * rng.normal(size=shape),
            scales=np.exp(rng.uniform(low, high, size=shape)),
        )
        z, _ = mixture.sample(LATENTS_FOR_BENDS, rng)
        sizes = [self.n, *self.widths, self.x_dim]
        decoder = random_decoder(sizes, self.slope, z, child_generator(draw, "decoder"))
        return RecoveryWorld(mixture, decoder, self.noise)
