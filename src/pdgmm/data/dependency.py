"""Observed variables that each depend on some latents only: the data of diverse dictionary learning."""

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from pdgmm.data.base import Structure, World
from pdgmm.data.dependency_supports import FAMILIES, group_of
from pdgmm.data.leaky_decoder import LeakyDecoder, random_decoder
from pdgmm.data.shared_draws import SharedDraws
from pdgmm.errors import UserError
from pdgmm.seeds import child_generator
from pdgmm.theory.dependency_diversity import covering_conditions

FEW, POINTS = 200, 4000
"""Latents at which a map must be invertible: a few that rule out most draws, then all."""

TRIES = 50
"""Draws of one network before all are drawn from the beginning."""

LatentLaw = Literal["gaussian", "uniform", "laplace"]


@dataclass(frozen=True)
class Outputs:
    """``x_i = f_i(z_parents(i))`` with a network for every observed variable; ``support`` (x_dim, n): its parents."""

    support: np.ndarray
    networks: tuple[LeakyDecoder, ...]

    def __call__(self, z: np.ndarray) -> np.ndarray:
        """Observations (count, x_dim) of latents (count, n)."""
        rows = zip(self.networks, self.support, strict=True)
        return np.column_stack([network(z[:, parents]) for network, parents in rows])

    def jacobian(self, z: np.ndarray) -> np.ndarray:
        """``dx/dz`` (count, x_dim, n)."""
        found = np.zeros((len(z), *self.support.shape))
        for i, (network, parents) in enumerate(zip(self.networks, self.support, strict=True)):
            found[:, i, parents] = network.jacobian(z[:, parents])[:, 0]
        return found


@dataclass(frozen=True)
class DependencyWorld(World):
    """Independent latents behind :class:`Outputs`, with noise of standard deviation ``noise``."""

    outputs: Outputs
    latents: LatentLaw
    noise: float
    groups: np.ndarray | None

    @property
    def n_latents(self) -> int:
        return self.outputs.support.shape[1]

    def structure(self) -> Structure:
        """``dependencies`` (x_dim, n) is the support of the Jacobian; ``groups`` (n,) whose latent each is."""
        support = self.outputs.support
        arrays = {"dependencies": support.astype(np.uint8)}
        if self.groups is not None:
            arrays["groups"] = self.groups
        covered = covering_conditions(support)
        facts = {"covered_by": [sorted(one) for one in covered], "sufficiently_diverse": all(covered)}
        return Structure(arrays, facts)

    def sample(self, split: str, count: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
        z = draw_latents(self.latents, (count, self.n_latents), rng)
        x = self.outputs(z)
        x += self.noise * rng.normal(size=x.shape)
        return {"x": x.astype(np.float32), "z": z.astype(np.float32)}


class Dependency(SharedDraws):
    """Independent latents, one observed variable for each, and a given support of the Jacobian (Zheng et al., 2026).

    Every observed variable is a network with leaky ReLUs of its own latents, scaled to variance 1. Networks are drawn
    again until the Jacobian's determinant has one sign and its smallest singular value is not small, at many draws of
    the latents: with random networks the map is seldom injective, and then no method can find the latents.
    """

    n: int = Field(3, ge=3, le=12, description="number of latents, and of observed variables")
    family: Literal["cyclic", "complement", "triangular", "dense", "duplicated", "groups"] = Field(
        "cyclic",
        description="which observed variable depends on which latents: `cyclic`: on two neighbours; `complement`: on "
        "all but one; `triangular`: on all up to its own number; `dense`: on all; `duplicated`: cyclic, but two "
        "latents have the same children; `groups`: two dense groups with shared latents and latents of their own",
    )
    latents: LatentLaw = Field("gaussian", description="distribution of each latent, with variance 1")
    hidden: list[Annotated[int, Field(ge=1)]] = Field(
        [16, 16], description="units of the hidden layers of every network"
    )
    slope: float = Field(0.5, gt=0, le=1, description="slope of the leaky ReLUs below zero")
    least_singular_value: float = Field(
        0.05, ge=0, description="smallest singular value of the Jacobian that is allowed anywhere"
    )
    attempts: int = Field(20_000, ge=1, description="networks that are drawn before giving up")
    noise: float = Field(0.0, ge=0, description="standard deviation of the noise on the observations")

    def truth(self) -> tuple[str, ...]:
        return ("z",)

    def world(self, draw: int) -> DependencyWorld:
        groups = group_of(self.n) if self.family == "groups" else None
        return DependencyWorld(self.invertible_outputs(draw), self.latents, self.noise, groups)

    def invertible_outputs(self, draw: int) -> Outputs:
        """Networks whose map is invertible at the latents that are tried, found one observed variable at a time.

        A network is drawn again while the rows of the Jacobian up to its own are nearly dependent at some point:
        rows that come later cannot repair that. If no network fits, all are drawn from the beginning.
        """
        support = FAMILIES[self.family](self.n)
        z = draw_latents(self.latents, (POINTS, self.n), child_generator(draw, "points"))
        rng = child_generator(draw, "networks")
        networks: list[LeakyDecoder] = []
        jacobian = np.zeros((POINTS, self.n, self.n))
        tries = 0
        for _ in range(self.attempts):
            if tries == TRIES:
                networks, tries = [], 0
            row, tries = len(networks), tries + 1
            parents = support[row]
            sizes = [int(parents.sum()), *self.hidden, 1]
            network = random_decoder(sizes, self.slope, z[:FEW, parents], rng, largest_condition=np.inf)
            for points in (slice(FEW), slice(None)):
                jacobian[points, row, parents] = network.jacobian(z[points, parents])[:, 0]
                if not self._independent(jacobian[points, : row + 1]):
                    break
            else:
                networks, tries = [*networks, network], 0
                if len(networks) == self.n:
                    return Outputs(support, tuple(networks))
        raise UserError(
            f"none of {self.attempts} networks completed an invertible {self.family} map of {self.n} latents: set "
            f"`slope` ({self.slope:g}) nearer to 1, `least_singular_value` ({self.least_singular_value:g}) lower, or "
            "`attempts` higher"
        )

    def _independent(self, rows: np.ndarray) -> bool:
        """Whether the rows (points, k, n) are far from dependent; for k = n with one orientation."""
        if rows.shape[1] == rows.shape[2]:
            signs = np.sign(np.linalg.det(rows))
            if (signs != signs[0]).any():
                return False
        least = np.linalg.eigvalsh(rows @ rows.swapaxes(1, 2)).min()
        return bool(least >= self.least_singular_value**2)


def draw_latents(law: LatentLaw, shape: tuple[int, int], rng: np.random.Generator) -> np.ndarray:
    """Independent latents with mean 0 and variance 1."""
    if law == "uniform":
        return rng.uniform(-np.sqrt(3), np.sqrt(3), size=shape)
    if law == "laplace":
        return rng.laplace(scale=np.sqrt(0.5), size=shape)
    return rng.normal(size=shape)
