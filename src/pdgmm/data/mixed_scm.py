"""What the generators have in common: latents of a linear SCM that are seen through a mixing."""

from abc import abstractmethod
from typing import TYPE_CHECKING, Self

from pydantic import Field, model_validator

from pdgmm.data.base import Generator
from pdgmm.data.dag import erdos_renyi_dag, random_weights
from pdgmm.data.mixing import Activation, Mixing, random_mixing
from pdgmm.data.observation_noise import with_observation_noise
from pdgmm.data.scm import LinearScm, NoiseKind
from pdgmm.seeds import child_generator

if TYPE_CHECKING:
    from pdgmm.data.masked_scm import MaskedScmWorld


class MixedScm(Generator):
    """The settings of the SCM, of the mixing and of the noise on the observation.

    Each part is drawn from a stream of its own: a sweep changes one part only.
    """

    n: int = Field(10, ge=2, le=10_000, description="number of latent variables")
    k: int = Field(
        1, ge=0, description="edges per latent of the causal graph: n * k edges in all, at most n(n-1)/2"
    )
    m: int = Field(
        10, ge=1, le=1_000, description="number of linear layers of the mixing; 1 is a linear mixing"
    )
    x_dim: int | None = Field(
        None, le=100_000, description="dimension of the observation, at least n; null: n"
    )
    noise: NoiseKind = Field(
        "gauss",
        description="noise of the SCM: gauss (variance 1), exponential (rate 1) or gumbel (standard)",
    )
    activation: Activation = Field(
        "leaky",
        description="activation between the mixing layers, with a ~ U(0.5, 1.5) per layer: leaky, "
        "max(a h, h); smooth_leaky, a h + (1 - a) log(1 + e^h); or sigmoid, which shrinks x at least "
        "fourfold per layer: to the precision of float32 at m = 10, to a constant at m = 20",
    )
    observation_noise: float | None = Field(
        None,
        description="signal-to-noise ratio (dB) of Gaussian noise added to x, relative to the variance of "
        "the clean x averaged over its coordinates; null: no noise",
    )

    @model_validator(mode="after")
    def _observation_holds_the_latents(self) -> Self:
        if self.x_dim is not None and self.x_dim < self.n:
            raise ValueError(
                f"x_dim={self.x_dim} is less than n={self.n}: {self.n} latents cannot be recovered from "
                f"fewer observed numbers; use x_dim >= {self.n} or leave it out"
            )
        return self

    def truth(self) -> tuple[str, ...]:
        return ("masks", "component")

    def build(self, seed: int) -> "MaskedScmWorld":
        """The world of ``seed``. Each part has a stream of its own, so a sweep changes one part only."""
        return with_observation_noise(self.noiseless(seed), self.observation_noise, seed)

    @abstractmethod
    def noiseless(self, seed: int) -> "MaskedScmWorld":
        """The world of ``seed`` without observation noise."""

    def draw_scm(self, seed: int) -> LinearScm:
        """The SCM of ``seed``: an ER-k graph with random weights."""
        adjacency = erdos_renyi_dag(self.n, self.k, child_generator(seed, "dag"))
        return LinearScm(random_weights(adjacency, child_generator(seed, "weights")), self.noise)

    def draw_mixing(self, seed: int) -> Mixing:
        """The mixing of ``seed``."""
        rng = child_generator(seed, "mixing")
        return random_mixing(self.n, self.x_dim or self.n, self.m, rng, self.activation)
