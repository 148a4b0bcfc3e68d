"""The data of Xu, Lachapelle and Magliacane (2026): masked latents of a linear SCM, seen through a mixing."""

from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, model_validator

from pdgmm.data import masks as mask_rules
from pdgmm.data.base import SPLITS, Generator, Structure, World
from pdgmm.data.dag import erdos_renyi_dag, random_weights
from pdgmm.data.mixing import Activation, Mixing, random_mixing
from pdgmm.data.rotation import rotation_matrix
from pdgmm.data.scm import LinearScm, NoiseKind
from pdgmm.seeds import child_generator

NO_COMPONENT = -1
"""The component of a sample that no mask was applied to."""

REFERENCE_SAMPLES = 10_000
"""The signal's variance, which the observation noise is relative to, is estimated from this many samples."""


@dataclass(frozen=True)
class MaskedScmWorld(World):
    """Latents of an SCM, each sample masked by a uniformly chosen component, rotated, and mixed.

    ``rotation`` (n, n) and ``noise_std``, the observation noise, are None where there is none.
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

        ``train`` and ``test`` are masked. ``unmasked`` has every latent active, and component -1.
        ``independent`` draws the latents from the SCM without its edges; its masked entries sit where those
        of ``train`` do, at the translation value of the SCM with edges.
        """
        if split not in SPLITS:
            raise ValueError(f"no split {split!r}; there are {', '.join(SPLITS)}")
        scm = self.scm.without_edges() if split == "independent" else self.scm
        source = scm.sample(count, rng)
        component = np.full(count, NO_COMPONENT, dtype=np.int32)
        if split != "unmasked":
            component = rng.integers(len(self.masks), size=count, dtype=np.int32)
            source = np.where(self.masks[component], source, self.translation)
        z = source if self.rotation is None else source @ self.rotation
        x = self.mixing(z)
        if self.noise_std is not None:
            x += rng.normal(scale=self.noise_std, size=x.shape)
        arrays = {"x": x.astype(np.float32), "z": z.astype(np.float32), "component": component}
        if self.rotation is not None:
            arrays["source"] = source.astype(np.float32)
        return arrays

    def structure(self) -> Structure:
        """Everything drawn, in float64 so that the mixing can be rebuilt and inverted, and the checks of it.

        Orientation: ``scm/adjacency[i, j]`` and ``scm/weights[i, j]`` are of the edge i -> j. The arrays
        ``mixing/…`` are the fields of :class:`pdgmm.data.mixing.Mixing`.
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
        if self.rotation is not None:
            arrays["rotation"] = self.rotation
        facts = {"components": len(self.masks), **self._assumptions()}
        if self.noise_std is not None:
            facts["observation_noise_std"] = self.noise_std
        return Structure(arrays, facts)

    def _assumptions(self) -> dict[str, dict[str, Any]]:
        """The assumptions on the supports, each with ``holds`` and ``why``, checked on the drawn components.

        The support of a component is the rotated translation plus the span of the rotated axes of its active
        latents: any subset of the latents has a covariance of full rank.
        """
        n = self.scm.n
        basis = np.eye(n) if self.rotation is None else self.rotation
        directions = [basis[mask.astype(bool)] for mask in self.masks]
        points = np.broadcast_to(self.translation @ basis, (len(self.masks), n))
        meet = mask_rules.common_point(points, directions)
        shared = mask_rules.spanned_by_subsets(directions, basis)
        standard = mask_rules.spanned_by_subsets(directions, np.eye(n))
        through_zero = mask_rules.contain_origin(points, directions)
        inseparable = mask_rules.inseparable_latents(self.masks)
        total = len(self.masks)
        return {
            "assumption_3_6": {
                "holds": bool(meet and shared.all()),
                "why": f"the supports {'share a' if meet else 'have no common'} point; "
                f"{shared.sum()} of {total} are spanned by subsets of one basis",
            },
            "assumption_3_8a": {
                "holds": bool(standard.all() and through_zero.all()),
                "why": f"{standard.sum()} of {total} supports are spanned by standard basis vectors; "
                f"{through_zero.sum()} of {total} contain the origin",
            },
            "assumption_3_8b": {
                "holds": not inseparable,
                "why": "the masks without a latent activate all others, for every latent"
                if not inseparable
                else "; ".join(f"{others} never active without {i}" for i, others in inseparable.items()),
            },
        }


class MaskedScm(Generator):
    """A linear SCM whose latents are active in some components and constant in others, seen through a mixing.

    The latents of a sample are drawn from the SCM; a component is drawn uniformly, and the latents it masks
    are set to ``delta * std + mean`` of the unmasked SCM; then ``z <- z R`` and ``x = mixing(z)``.
    """

    n: int = Field(10, ge=2, description="number of latent variables")
    k: int = Field(
        1, ge=0, description="edges per latent of the causal graph: n * k edges in all, at most n(n-1)/2"
    )
    m: int = Field(10, ge=1, description="number of linear layers of the mixing; 1 is a linear mixing")
    rho: Literal["1var"] | Annotated[float, Field(gt=0, lt=1)] = Field(
        0.5,
        description='fraction (0 to 1) of the latents that is active in a component, rounded down; "1var": '
        "one latent",
    )
    delta: float = Field(
        0.0,
        description="where masked latents sit: this many standard deviations above the mean of the latent",
    )
    theta: float = Field(
        0.0, description="angle (degrees) of the rotation of the latents in every coordinate plane; 0: none"
    )
    x_dim: int | None = Field(None, description="dimension of the observation, at least n; null: n")
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
    def _observation_holds_the_latents(self) -> "MaskedScm":
        if self.x_dim is not None and self.x_dim < self.n:
            raise ValueError(
                f"x_dim={self.x_dim} is less than n={self.n}: {self.n} latents cannot be recovered from "
                f"fewer observed numbers; use x_dim >= {self.n} or leave it out"
            )
        return self

    def build(self, seed: int) -> MaskedScmWorld:
        """The world of ``seed``. Each part has a stream of its own, so a sweep changes one part only."""
        adjacency = erdos_renyi_dag(self.n, self.k, child_generator(seed, "dag"))
        scm = LinearScm(random_weights(adjacency, child_generator(seed, "weights")), self.noise)
        mixing = random_mixing(
            self.n, self.x_dim or self.n, self.m, child_generator(seed, "mixing"), self.activation
        )
        clean = MaskedScmWorld(
            scm=scm,
            masks=mask_rules.draw_masks(self.n, self.rho, child_generator(seed, "masks")),
            translation=self.delta * scm.std + scm.mean,
            mixing=mixing,
            rotation=rotation_matrix(self.n, self.theta) if self.theta != 0 else None,
        )
        if self.observation_noise is None:
            return clean
        # A sample of its own, so that the noise is the same for every split and block.
        reference = clean.sample("train", REFERENCE_SAMPLES, child_generator(seed, "observation_noise"))
        signal = float(reference["x"].var(axis=0, dtype=np.float64).mean())
        return replace(clean, noise_std=(signal / 10 ** (self.observation_noise / 10)) ** 0.5)
