"""Layers of genes that regulate each other, and the cells that such a network gives."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, Self

import numpy as np

from pdgmm.data.base import Structure, World
from pdgmm.data.gaussian_copula import dependent_uniform

DECAY = 0.8
HILL = 2
SLOWEST, FASTEST = 0.25, 0.75
"""Bounds of the rates at which the factors are made."""

CELLS_FOR_SCALES = 2000
"""Cells that give the half-responses of Hill functions, and the deviations of genes."""

GAUSSIAN_SHARE = 0.1
TIME_STEP = 0.01
STEPS = 400
"""Steps of the Langevin equation: about three times the time in which a deviation decays to a third."""


@dataclass(frozen=True)
class RegulatoryLayer:
    """``P_g = sum_k |K_gk| h_k`` over activators and ``|K_gk| (1 - h_k)`` over repressors, ``h = y^2 / (c^2 + y^2)``.

    ``strengths`` K is (genes, regulators), negative for repression; ``half_responses`` c (regulators,).
    """

    strengths: np.ndarray
    half_responses: np.ndarray | None = None

    def rates(self, y: np.ndarray) -> np.ndarray:
        """Rates of production (cells, genes), given the regulators' concentrations y (cells, regulators)."""
        powers = y**HILL
        response = powers / (powers + self.half_responses.astype(y.dtype) ** HILL)
        strengths = self.strengths.astype(y.dtype)
        return response @ strengths.T + np.maximum(-strengths, 0).sum(axis=1)


@dataclass(frozen=True)
class CellWorld(World):
    """Factors ``z`` (cells, n) and the expression ``x`` of all genes (cells, genes), layer after layer.

    ``deviations`` (genes,) are the genes' standard deviations without noise.
    """

    layers: tuple[RegulatoryLayer, ...]
    n_latents: int
    correlation: float
    noise: Literal["none", "gaussian", "kinetic"]
    deviations: np.ndarray

    @classmethod
    def settled(
        cls,
        layers: Sequence[RegulatoryLayer],
        n_latents: int,
        correlation: float,
        noise: Literal["none", "gaussian", "kinetic"],
        rng: np.random.Generator,
    ) -> Self:
        """The world in which every regulator has its half-response at its mean."""
        s = factors(CELLS_FOR_SCALES, n_latents, correlation, rng)
        y, settled, steady = s, [], []
        for layer in layers:
            settled.append(replace(layer, half_responses=y.mean(axis=0)))
            y = settled[-1].rates(y) / DECAY
            steady.append(y)
        deviations = np.concatenate(steady, axis=1).std(axis=0)
        return cls(tuple(settled), n_latents, correlation, noise, deviations)

    def structure(self) -> Structure:
        """``strengths`` and ``half_responses`` of every layer; all latents are found up to an increasing function."""
        arrays = {"monotone": np.ones(self.n_latents, dtype=np.uint8)}
        for number, layer in enumerate(self.layers, 1):
            arrays[f"network/strengths_{number}"] = layer.strengths
            arrays[f"network/half_responses_{number}"] = layer.half_responses
        return Structure(arrays, {"layers": len(self.layers)})

    def sample(self, split: str, count: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
        s = factors(count, self.n_latents, self.correlation, rng)
        x = self.steady(s)
        if self.noise == "gaussian":
            x = x + GAUSSIAN_SHARE * self.deviations * rng.normal(size=x.shape)
        elif self.noise == "kinetic":
            x = self._kinetic(s.astype(np.float32), x.astype(np.float32), rng)
        return {"x": x.astype(np.float32), "z": s.astype(np.float32)}

    def steady(self, s: np.ndarray) -> np.ndarray:
        """The expression (cells, genes) in which production and decay are equal."""
        parts = [s]
        for layer in self.layers:
            parts.append(layer.rates(parts[-1]) / DECAY)
        return np.concatenate(parts[1:], axis=1)

    def _kinetic(self, s: np.ndarray, x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """``dx = (P - d x) dt + sqrt(P + d x) dW`` from the steady state on, with decay d; x stays at least 0.

        Production and decay have independent noise of variances ``P dt`` and ``d x dt``, drawn as one.
        """
        first, *second = self.layers
        genes = len(first.strengths)
        rates = np.empty_like(x)
        rates[:, :genes] = first.rates(s)
        for _ in range(STEPS):
            for layer in second:
                rates[:, genes:] = layer.rates(x[:, :genes])
            decay = DECAY * x
            noise = rng.standard_normal(size=x.shape, dtype=np.float32)
            x = x + (rates - decay) * TIME_STEP + np.sqrt((rates + decay) * TIME_STEP) * noise
            np.maximum(x, 0, out=x)
        return x


def factors(count: int, n: int, correlation: float, rng: np.random.Generator) -> np.ndarray:
    """Concentrations (count, n) of factors: rates uniform between their bounds, divided by the decay."""
    rates = SLOWEST + (FASTEST - SLOWEST) * dependent_uniform(count, n, correlation, rng)
    return rates / DECAY
