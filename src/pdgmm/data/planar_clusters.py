"""Clusters in the plane that no Gaussian fits: the arms of a pinwheel, and parallelograms."""

from dataclasses import dataclass

import numpy as np
from pydantic import Field

from pdgmm.data.base import Structure, World
from pdgmm.data.shared_draws import SharedDraws
from pdgmm.seeds import child_generator

SCALE = 10.0
"""A constant of the pinwheel, as in the program of Johnson et al. (2016)."""

LEAST_ANGLE = np.pi / 6
"""The smallest angle between the edges of a parallelogram."""


@dataclass(frozen=True)
class PinwheelWorld(World):
    """Arm k turns by ``2 pi k / arms + rate exp(r)`` at the radius r."""

    arms: int
    radial: float
    tangential: float
    rate: float

    n_latents = 2

    def structure(self) -> Structure:
        return Structure({}, {"components": self.arms})

    def sample(self, split: str, count: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
        component = rng.integers(self.arms, size=count)
        along = rng.normal(size=(count, 2)) * [self.radial, self.tangential] + [1.0, 0.0]
        angle = 2 * np.pi * component / self.arms + self.rate * np.exp(along[:, 0])
        cos, sin = np.cos(angle), np.sin(angle)
        x = np.column_stack([along[:, 0] * cos - along[:, 1] * sin, along[:, 0] * sin + along[:, 1] * cos])
        return {"x": (SCALE * x).astype(np.float32), "component": component}


class Pinwheel(SharedDraws):
    """A pinwheel in the plane (Johnson et al., 2016), with three arms as in Kivva et al. (2022).

    No true latents are known: methods can only be compared with themselves. The law has no random part, so ``draw``
    only says which samples are drawn.
    """

    latents_known = False

    arms: int = Field(3, ge=1, description="number of arms, equally likely")
    radial: float = Field(0.3, gt=0, description="standard deviation along an arm")
    tangential: float = Field(0.05, gt=0, description="standard deviation across an arm")
    rate: float = Field(0.25, ge=0, description="how much an arm bends")
    draw: int = Field(0, ge=0, description="number of the draw; every seed of a run gets the same samples")

    def world(self, draw: int) -> PinwheelWorld:
        return PinwheelWorld(self.arms, self.radial, self.tangential, self.rate)


@dataclass(frozen=True)
class ParallelogramsWorld(World):
    """Uniform samples of parallelograms ``centre + (U - 1/2) edges``, (K, 2) and (K, 2, 2), with Gaussian noise."""

    centres: np.ndarray
    edges: np.ndarray
    noise: float

    n_latents = 2

    def structure(self) -> Structure:
        arrays = {"centres": self.centres, "edges": self.edges}
        return Structure(arrays, {"components": len(self.centres)})

    def sample(self, split: str, count: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
        component = rng.integers(len(self.centres), size=count)
        within = rng.uniform(-0.5, 0.5, size=(count, 1, 2))
        x = self.centres[component] + (within @ self.edges[component])[:, 0]
        x += self.noise * rng.normal(size=x.shape)
        return {"x": x.astype(np.float32), "component": component}


class Parallelograms(SharedDraws):
    """Random parallelograms in the plane, as in Kivva et al. (2022); ``draw`` is the number of the set.

    The paper gives their number, three, and no more. Here centres are uniform in a square, edges have uniform lengths
    and directions at least 30 degrees apart, and all are equally likely. No true latents are known.
    """

    latents_known = False

    shapes: int = Field(3, ge=1, description="number of parallelograms")
    reach: float = Field(
        5.0, gt=0, description="centres are uniform between -reach and reach, in both directions"
    )
    shortest: float = Field(1.0, gt=0, description="shortest edge")
    longest: float = Field(3.0, gt=0, description="longest edge")
    noise: float = Field(0.1, ge=0, description="standard deviation of the noise")
    draw: int = Field(1, ge=0, description="number of the set; every seed of a run gets the same one")

    def world(self, draw: int) -> ParallelogramsWorld:
        rng = child_generator(draw, "parallelograms")
        centres = rng.uniform(-self.reach, self.reach, size=(self.shapes, 2))
        lengths = rng.uniform(self.shortest, max(self.shortest, self.longest), size=(self.shapes, 2))
        first = rng.uniform(0, 2 * np.pi, size=self.shapes)
        between = rng.uniform(LEAST_ANGLE, np.pi - LEAST_ANGLE, size=self.shapes)
        angles = np.column_stack([first, first + between])
        edges = lengths[:, :, None] * np.stack([np.cos(angles), np.sin(angles)], axis=2)
        return ParallelogramsWorld(centres, edges, self.noise)
