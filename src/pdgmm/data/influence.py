"""Mixtures whose latents influence the observations in diverse ways, or not: the data of DICA."""

from dataclasses import dataclass
from itertools import product
from typing import Literal

import numpy as np
from pydantic import Field

from pdgmm.data.base import Structure, World
from pdgmm.data.gaussian_copula import dependent_uniform
from pdgmm.data.shared_draws import SharedDraws
from pdgmm.errors import UserError
from pdgmm.seeds import child_generator
from pdgmm.theory.diverse_influence import Diversity, diversity

DRAWS = 200
"""How often rows are drawn until they are sufficiently diverse."""

TESTED_POINTS = 20
"""Points at which the Jacobian is tested, if it is not the same everywhere."""


@dataclass(frozen=True)
class InfluenceMixing:
    """``f(t) = A phi(t) + e sin(C t + b)`` with ``phi_j(t) = t_j + k_j sin(pi t_j) / pi``, t between -1 and 1.

    ``rows`` A and ``interactions`` C are (x_dim, n), ``phases`` b (x_dim,), ``bends`` k (n,) between -1 and 1, so
    that phi increases; ``strength`` is e. Without interactions the Jacobian is A with scaled columns, at every point.
    """

    rows: np.ndarray
    bends: np.ndarray
    interactions: np.ndarray
    phases: np.ndarray
    strength: float

    def __call__(self, t: np.ndarray) -> np.ndarray:
        """Observations (count, x_dim) of ``t`` (count, n)."""
        bent = t + self.bends * np.sin(np.pi * t) / np.pi
        return bent @ self.rows.T + self.strength * np.sin(t @ self.interactions.T + self.phases)

    def jacobian(self, t: np.ndarray) -> np.ndarray:
        """``df/dt`` (count, x_dim, n)."""
        linear = self.rows * (1 + self.bends * np.cos(np.pi * t))[:, None, :]
        cosines = np.cos(t @ self.interactions.T + self.phases)
        return linear + self.strength * cosines[:, :, None] * self.interactions


@dataclass(frozen=True)
class InfluenceWorld(World):
    """Dependent uniform t, ``x = f(t)``, and latents ``z = t``, or ``z = t @ rotation`` with a rotation (n, n)."""

    mixing: InfluenceMixing
    correlation: float
    rotation: np.ndarray | None
    tested: tuple[Diversity, ...]

    @property
    def n_latents(self) -> int:
        return self.mixing.rows.shape[1]

    def structure(self) -> Structure:
        """The mixing, and how diverse its rows are: ``inner`` and ``elsewhere`` of the least diverse point.

        ``monotone`` says that the latents can be found up to increasing functions only.
        """
        names = ("rows", "bends", "interactions", "phases")
        arrays = {f"influence/{name}": getattr(self.mixing, name) for name in names}
        arrays["monotone"] = np.ones(self.n_latents, dtype=np.uint8)
        if self.rotation is not None:
            arrays["influence/rotation"] = self.rotation
        elsewhere = min(point.elsewhere for point in self.tested)
        facts = {
            "diverse_influence": all(point.sufficient for point in self.tested),
            "diverse_influence_inner": min(point.inner for point in self.tested),
            "diverse_influence_elsewhere": elsewhere if np.isfinite(elsewhere) else None,
        }
        return Structure(arrays, facts)

    def sample(self, split: str, count: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
        t = 2 * dependent_uniform(count, self.n_latents, self.correlation, rng) - 1
        arrays = {"x": self.mixing(t), "z": t}
        if self.rotation is not None:
            arrays |= {"z": t @ self.rotation, "source": t}
        return {name: values.astype(np.float32) for name, values in arrays.items()}


class Influence(SharedDraws):
    """``x = A phi(s) + interactions`` with dependent uniform s, and rows of A that are sufficiently diverse or not.

    Only the rows decide whether DICA (arXiv 2510.17040) can find s: no independence and no zeros are needed.
    ``diverse`` rows have L1 norm 1, sizes from a Dirichlet distribution and random signs; they are drawn until they
    pass the exact test. The others break the condition: ``gaussian`` rows of L2 norm 1, whose distribution is the
    same in every basis, and ``signs``, all rows ±1/n. The result of the test is in the dataset's facts.
    """

    n: int = Field(4, ge=2, le=5, description="number of latents; the exact test ends at 5")
    x_dim: int = Field(128, ge=2, description="number of observed coordinates")
    rows: Literal["diverse", "gaussian", "signs"] = Field(
        "diverse",
        description="rows of the mixing: sufficiently diverse, normalised Gaussian, or all rows of signs",
    )
    concentration: float = Field(
        1.0,
        gt=0,
        description="parameter of the Dirichlet distribution; smaller: sparser rows. Diverse rows only",
    )
    rotated: bool = Field(
        False,
        description="the latents are a rotation of what is mixed, so the mixing finds them up to it only; scores "
        "before the rotation are given too",
    )
    correlation: float = Field(0.5, ge=0, lt=1, description="correlation of the latents' Gaussian copula")
    bend: float = Field(
        0.5, ge=0, lt=1, description="largest change of a latent's slope by phi; 0: phi is the identity"
    )
    interaction: float = Field(
        0.0, ge=0, description="size of the part of the mixing that is not a sum over latents"
    )

    def truth(self) -> tuple[str, ...]:
        return ("z",)

    def world(self, draw: int) -> InfluenceWorld:
        rng = child_generator(draw, "influence")
        bends = rng.uniform(-self.bend, self.bend, size=self.n)
        interactions = rng.normal(size=(self.x_dim, self.n))
        interactions /= np.abs(interactions).sum(axis=1, keepdims=True)
        phases = rng.uniform(0, 2 * np.pi, size=self.x_dim)
        rows = self._rows(child_generator(draw, "rows"))
        mixing = InfluenceMixing(rows, bends, interactions, phases, self.interaction)
        rotation = np.linalg.qr(rng.normal(size=(self.n, self.n)))[0]
        jacobians = [rows]  # the same at every point, up to the scale of its columns
        if self.interaction or self.rotated:
            t = 2 * dependent_uniform(TESTED_POINTS, self.n, self.correlation, rng) - 1
            jacobians = mixing.jacobian(t) @ (rotation if self.rotated else np.eye(self.n))
        tested = tuple(map(diversity, jacobians))
        return InfluenceWorld(mixing, self.correlation, rotation if self.rotated else None, tested)

    def _rows(self, rng: np.random.Generator) -> np.ndarray:
        shape = (self.x_dim, self.n)
        if self.rows == "gaussian":
            rows = rng.normal(size=shape)
            return rows / np.linalg.norm(rows, axis=1, keepdims=True)
        if self.rows == "signs":
            # One of each pair of opposite rows, again and again.
            halves = np.array(list(product([1.0, -1.0], repeat=self.n - 1)))
            patterns = np.column_stack([np.ones(len(halves)), halves]) / self.n
            return patterns[np.arange(self.x_dim) % len(patterns)]
        for _ in range(DRAWS):
            sizes = rng.dirichlet(np.full(self.n, self.concentration), size=self.x_dim)
            rows = sizes * rng.choice([-1.0, 1.0], size=shape)
            if diversity(rows, np.ones(self.n)).sufficient:
                return rows
        raise UserError(
            f"none of {DRAWS} draws of {self.x_dim} rows with {self.n} latents is sufficiently diverse: give a "
            "larger x_dim or a smaller n or concentration"
        )
