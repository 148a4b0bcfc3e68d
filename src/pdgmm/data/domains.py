"""Several domains: some latents change their distribution between them, the others do not."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Self

import numpy as np
from pydantic import Field, model_validator

from pdgmm.data.base import Generator, SampleCount, Structure, World
from pdgmm.data.mixing import Mixing, random_mixing
from pdgmm.data.paired_mixing import PairedMixing, random_paired_mixing, ring_pairs, twin_pairs
from pdgmm.seeds import child_generator
from pdgmm.settings import Settings

DENSE_SLOPE = 0.2
"""Slope below zero of the leaky ReLU of the dense mixing."""

LARGEST_MEAN, SMALLEST_SCALE, LARGEST_SCALE = 4.0, 0.01, 1.0

REFERENCE_DOMAINS, REFERENCE_SAMPLES = 8, 500
"""Samples of this many domains decide where a sparse mixing bends, however many domains a dataset has."""


class SamplesPerDomain(Settings):
    """How many samples of every domain each split has."""

    train: SampleCount = Field(2000, description="samples of every domain that methods learn from")
    test: SampleCount = Field(1000, description="held-out samples of every domain")


@dataclass(frozen=True)
class DomainsWorld(World):
    """``z ~ N(means_u, diag scales_u^2)`` in domain u, seen through a mixing.

    ``means`` and ``scales`` are (domains, n). The first ``changing`` latents have their own in every domain, the
    others are standard normal in all. ``support`` (x_dim, n) marks the latents that an observed coordinate depends
    on.
    """

    observed = ("x", "u")

    means: np.ndarray
    scales: np.ndarray
    changing: int
    mixing: Mixing | PairedMixing
    support: np.ndarray

    @property
    def n_latents(self) -> int:
        return self.means.shape[1]

    def structure(self) -> Structure:
        arrays = {
            "changing": (np.arange(self.n_latents) < self.changing).astype(np.uint8),
            "dependencies": self.support,
            "domains/means": self.means,
            "domains/scales": self.scales,
        }
        return Structure(arrays, {"domains": len(self.means)})

    def counts(self, samples: Settings) -> dict[str, int]:
        return {split: count * len(self.means) for split, count in samples.model_dump().items()}

    def sample(self, split: str, count: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
        u = rng.permutation(np.arange(count) % len(self.means))
        z = self.means[u] + rng.normal(size=(count, self.n_latents)) * self.scales[u]
        return {"x": self.mixing(z).astype(np.float32), "z": z.astype(np.float32), "u": u}


class Domains(Generator):
    """Independent Gaussian latents, of which some have another mean and variance in every observed domain u.

    The changing latents have ``mean ~ U(-4, 4)`` and ``scale ~ U(0.01, 1)`` in each domain, the others are standard
    normal. Domain u of a seed is the same whatever the number of domains, and so is the mixing.
    """

    graph = False

    samples: SamplesPerDomain = Field(
        default_factory=SamplesPerDomain, description="samples of every domain per split"
    )
    domains: int = Field(4, ge=1, description="number of domains, equally likely")
    n: int = Field(4, ge=2, description="number of latents")
    changing: int = Field(2, ge=0, description="how many latents change between domains")
    changes: Literal["both", "means"] = Field(
        "both",
        description="What changes: means and scales; or only the means of latents with variance 1, which is not "
        "enough to tell changing latents apart.",
    )
    mixing: Literal["dense", "sparse", "rotated", "twins"] = Field(
        "dense",
        description="dense: `A2 leaky(A1 z)` with rotations A. sparse: 2n outputs, each a small network of two "
        "latents. rotated: the sparse outputs turned by a rotation, so that every output depends on every latent. "
        "twins: sparse, but latents in pairs have the same children.",
    )

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if self.changing > self.n:
            raise ValueError(f"changing={self.changing} is more than n={self.n}: use at most n")
        if self.mixing != "dense" and (self.n % 2 or self.n < 4):
            raise ValueError(
                f"mixing={self.mixing} pairs the latents: use an even n of at least 4, not {self.n}"
            )
        return self

    def side(self) -> tuple[str, ...]:
        return ("u",)

    def truth(self) -> tuple[str, ...]:
        return ("z",)

    def build(self, seed: int) -> DomainsWorld:
        drawn = [self._domain(seed, domain) for domain in range(max(self.domains, REFERENCE_DOMAINS))]
        means, scales = (np.stack(parts) for parts in zip(*drawn, strict=True))
        if self.mixing == "dense":
            random = random_mixing(self.n, self.n, 2, child_generator(seed, "mixing"))
            mixing: Mixing | PairedMixing = Mixing(random.embedding, random.weights, np.array([DENSE_SLOPE]))
            support = np.ones((self.n, self.n), dtype=np.uint8)
        else:
            rng = child_generator(seed, "mixing")
            size = (REFERENCE_DOMAINS, REFERENCE_SAMPLES, self.n)
            first = slice(None, REFERENCE_DOMAINS)
            z = means[first, None] + rng.normal(size=size) * scales[first, None]
            pairs: Callable[[int], np.ndarray] = twin_pairs if self.mixing == "twins" else ring_pairs
            mixing = random_paired_mixing(
                pairs(self.n), z.reshape(-1, self.n), rng, rotated=self.mixing == "rotated"
            )
            support = mixing.support(self.n)
        kept = slice(None, self.domains)
        return DomainsWorld(means[kept], scales[kept], self.changing, mixing, support)

    def _domain(self, seed: int, domain: int) -> tuple[np.ndarray, np.ndarray]:
        """Means and scales (n,) of one domain."""
        rng = child_generator(seed, "domain", domain)
        change = np.arange(self.n) < self.changing
        means = np.where(change, rng.uniform(-LARGEST_MEAN, LARGEST_MEAN, size=self.n), 0.0)
        scales = rng.uniform(SMALLEST_SCALE, LARGEST_SCALE, size=self.n)
        return means, np.where(change & (self.changes == "both"), scales, 1.0)
