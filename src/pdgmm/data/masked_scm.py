"""The data of Xu, Lachapelle and Magliacane (2026): masked latents of a linear SCM, seen through a mixing."""

from abc import abstractmethod
from dataclasses import dataclass, fields, replace
from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from pdgmm.data.base import Generator, SampleCounts, Structure, World
from pdgmm.data.masks import checked_supports, draw_masks
from pdgmm.data.mixing import Activation, Mixing, random_mixing
from pdgmm.data.scm import LinearScm, NoiseKind, erdos_renyi_dag, random_weights, rotation_matrix
from pdgmm.seeds import child_generator

NO_COMPONENT = -1
"""The component number of a sample without a mask."""

REFERENCE_SAMPLES = 10_000
"""The observation noise is relative to the variance of the signal, which is estimated from this many samples."""


@dataclass(frozen=True)
class MaskedScmWorld(World):
    """Latents of an SCM, each sample masked by a uniformly chosen component, rotated, and mixed.

    ``rotation`` (n, n) and ``noise_std``, the observation noise, are None if there is none.
    """

    scm: LinearScm
    masks: np.ndarray
    translation: np.ndarray
    mixing: Mixing
    rotation: np.ndarray | None = None
    noise_std: float | None = None

    @property
    def n_latents(self) -> int:
        """The number of latents, n."""
        return self.masks.shape[1]

    def sample(self, split: str, count: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
        """Samples of a split; see :meth:`World.sample`.

        ``train`` and ``test`` are masked. ``unmasked`` has every latent active, and component -1. ``independent``
        draws the latents from the SCM without its edges. Its masked latents have the same value as those of
        ``train``, which is given by the SCM with edges.
        """
        if split not in SampleCounts.model_fields:
            raise ValueError(f"no split {split!r}; there are {', '.join(SampleCounts.model_fields)}")
        scm = self.scm.without_edges() if split == "independent" else self.scm
        source = scm.sample(count, rng)
        component = np.full(count, NO_COMPONENT, dtype=np.int32)
        if split != "unmasked":
            component = rng.integers(len(self.masks), size=count, dtype=np.int32)
            source = self._in_component(source, component)
        z = self._rotated(source, component)
        x = self.mixing(z)
        if self.noise_std is not None:
            x += rng.normal(scale=self.noise_std, size=x.shape)
        arrays = {"x": x.astype(np.float32), "z": z.astype(np.float32), "component": component}
        if z is not source:
            arrays["source"] = source.astype(np.float32)
        return arrays

    def _in_component(self, source: np.ndarray, component: np.ndarray) -> np.ndarray:
        """The latents (count, n) of the SCM after the component of each sample was applied: here, masked."""
        return np.where(self.masks[component], source, self.translation)

    def _rotated(self, source: np.ndarray, component: np.ndarray) -> np.ndarray:
        """The latents (count, n) after the rotation; ``source`` itself if there is none."""
        return source if self.rotation is None else source @ self.rotation

    def structure(self) -> Structure:
        """All drawn arrays, in float64 so that the mixing can be rebuilt and inverted, and the checked assumptions.

        The arrays ``mixing/…`` are the fields of :class:`pdgmm.data.mixing.Mixing`. Fields that a subclass adds
        become further arrays under their names. If nothing is masked, there is no translation.
        """
        arrays = {
            "masks": self.masks,
            "scm/adjacency": (self.scm.weights != 0).astype(np.uint8),
            "scm/weights": self.scm.weights,
            "translation": self.translation,
            "mixing/embedding": self.mixing.embedding,
            "mixing/weights": self.mixing.weights,
            "mixing/slopes": self.mixing.slopes,
        }
        if self.masks.all():
            del arrays["translation"]
        if self.rotation is not None:
            arrays["rotation"] = self.rotation
        added = fields(self)[len(fields(MaskedScmWorld)) :]
        arrays |= {field.name: getattr(self, field.name) for field in added}
        facts = {"components": len(self.masks), **self._assumptions()}
        if self.noise_std is not None:
            facts["observation_noise_std"] = self.noise_std
        return Structure(arrays, facts)

    def _assumptions(self) -> dict[str, dict[str, Any]]:
        """The assumptions on the supports, checked on the drawn components.

        The support of a component is the rotated translation plus the span of the rotated axes of its active
        latents, since any subset of the latents has a covariance of full rank.
        """
        bases = self._bases()
        directions = [basis[mask.astype(bool)] for basis, mask in zip(bases, self.masks, strict=True)]
        basis = self._candidate_basis(directions)
        return checked_supports(self.masks, self.translation @ bases, directions, basis)

    def _bases(self) -> np.ndarray:
        """The rotated axes of the latents (J, n, n) in every component, one in each row."""
        basis = np.eye(self.n_latents) if self.rotation is None else self.rotation
        return np.broadcast_to(basis, (len(self.masks), *basis.shape))

    def _candidate_basis(self, directions: list[np.ndarray]) -> np.ndarray:
        """The basis (n, n) that spans all supports with its rows, if any does."""
        return self._bases()[0]


class MixedScm(Generator):
    """The settings of the SCM, of the mixing and of the noise on the observation.

    Each part is drawn from a stream of its own: a sweep changes one part only.
    """

    n: int = Field(10, ge=2, le=10_000, description="number of latent variables")
    k: int = Field(
        1, ge=0, description="edges of the causal graph for each latent: n * k in all, at most n(n-1)/2"
    )
    m: int = Field(
        10, ge=1, le=1_000, description="number of linear layers of the mixing; 1: the mixing is linear"
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

    def build(self, seed: int) -> MaskedScmWorld:
        """The world of ``seed``, with noise relative to the variance of its clean training samples."""
        world = self.noiseless(seed)
        if self.observation_noise is None:
            return world
        # Estimated from a separate sample, so that the noise is the same for every split and block.
        reference = world.sample("train", REFERENCE_SAMPLES, child_generator(seed, "observation_noise"))
        signal = float(reference["x"].var(axis=0, dtype=np.float64).mean())
        return replace(world, noise_std=(signal / 10 ** (self.observation_noise / 10)) ** 0.5)

    @abstractmethod
    def noiseless(self, seed: int) -> MaskedScmWorld:
        """The world of ``seed`` without observation noise."""

    def draw_scm(self, seed: int) -> LinearScm:
        """The SCM of ``seed``: an ER-k graph with random weights."""
        adjacency = erdos_renyi_dag(self.n, self.k, child_generator(seed, "dag"))
        return LinearScm(random_weights(adjacency, child_generator(seed, "weights")), self.noise)

    def draw_mixing(self, seed: int) -> Mixing:
        """The mixing of ``seed``."""
        rng = child_generator(seed, "mixing")
        return random_mixing(self.n, self.x_dim or self.n, self.m, rng, self.activation)


class MaskedScm(MixedScm):
    """A linear SCM whose latents are active in some components and constant in others, seen through a mixing.

    The latents of a sample are drawn from the SCM; a component is drawn uniformly, and the latents it masks
    are set to ``delta * std + mean`` of the unmasked SCM; then ``z <- z R`` and ``x = mixing(z)``.
    """

    rho: Literal["1var"] | Annotated[float, Field(gt=0, lt=1)] = Field(
        0.5,
        description='fraction (0 to 1) of the latents that are active in a component, rounded down; "1var": '
        "one latent",
    )
    delta: float = Field(
        0.0,
        description="where masked latents rest, in standard deviations above the mean of the latent",
    )
    theta: float = Field(
        0.0, description="angle (degrees) of the rotation of the latents in every coordinate plane; 0: none"
    )

    def noiseless(self, seed: int) -> MaskedScmWorld:
        scm = self.draw_scm(seed)
        return MaskedScmWorld(
            scm=scm,
            masks=self.draw_masks(child_generator(seed, "masks")),
            translation=self.delta * scm.std + scm.mean,
            mixing=self.draw_mixing(seed),
            rotation=rotation_matrix(self.n, self.theta) if self.theta != 0 else None,
        )

    def draw_masks(self, rng: np.random.Generator) -> np.ndarray:
        """Masks (J, n), one per component."""
        return draw_masks(self.n, self.rho, rng)
