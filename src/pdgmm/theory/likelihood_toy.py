"""The exact likelihood of every model of a grid: is the truth its only maximiser, up to an affine map of z?

The first experiment of Kivva et al. (2022), section 4 and appendix J.3.1, without numerical integration over z.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from pdgmm.seeds import child_generator
from pdgmm.settings import Settings
from pdgmm.theory.exact_density import log_component_densities, log_mixture_densities
from pdgmm.theory.piecewise_line import PiecewiseLine

Grid = Annotated[list[float], Field(min_length=1)]

POINTS_PER_NOISE = 5
"""Points of x per standard deviation of the noise. Densities are smooth on that scale, so a sum over the points is
exact up to rounding: its error falls like exp(-2 (pi points)^2)."""

REACH = 8.0
"""How far the points of x reach beyond the outermost mean, in standard deviations of z."""

Kind = Literal["weakly injective", "not weakly injective", "constant"]

CURVES = ("alpha_1", "beta_1", "pi_1", "mu_1")
"""Parameters along which the likelihood can be drawn."""


class LikelihoodToy(Settings):
    """A grid of models ``z ~ sum_j lambda_j N(mu_j, spread^2)``, ``x = sum_k a_k ReLU(b_k z + p_k) + noise``."""

    components: int = Field(2, ge=1, le=5, description="components J of the mixture; weights may be 0")
    means: Grid = Field([-2.0, -1.0, 0.0, 1.0, 2.0], description="values that each mean may have")
    weight_parts: int = Field(4, ge=1, description="weights are multiples of one over this")
    coefficients: Grid = Field(
        [-1.0, 0.0, 1.0], description="values of every coefficient, weight and bias of the decoder"
    )
    spread: float = Field(1.0, gt=0, description="standard deviation of every component")
    noise: float = Field(0.5, gt=0, description="standard deviation of the noise of x")
    truths: int = Field(1000, ge=1, description="models that are drawn as the truth")
    seed: int = Field(0, ge=0, description="seed of the drawn truths")
    tolerance: float = Field(
        1e-10, gt=0, description="models whose likelihood differs by less than this, in nats a sample, tie"
    )


@dataclass(frozen=True)
class Mixture:
    """A mixture in canonical form: increasing means, each once, and their weights as whole numbers of parts."""

    means: tuple[float, ...]
    parts: tuple[int, ...]

    def moved(self, sign: int, shift: float) -> "Mixture":
        """The distribution of ``sign * z + shift``, whose components have the same spread."""
        moved = sorted(
            (round(sign * mean + shift, 9) + 0.0, part)
            for mean, part in zip(self.means, self.parts, strict=True)
        )
        return Mixture(*(tuple(values) for values in zip(*moved, strict=True)))


@dataclass(frozen=True)
class Model:
    """A decoder and a mixture."""

    line: PiecewiseLine
    mixture: Mixture

    @property
    def kind(self) -> Kind:
        """Whether the decoder satisfies the assumption of the theory."""
        if self.line.constant:
            return "constant"
        return "weakly injective" if self.line.weakly_injective else "not weakly injective"

    def equivalent(self, other: "Model") -> bool:
        """Whether an affine map of z turns one model into the other; the spread is fixed, so only ``±z + shift``."""
        for sign in (1, -1):
            # The outermost means of both must coincide.
            edge = self.mixture.means[0 if sign == 1 else -1]
            shift = other.mixture.means[0] - sign * edge
            if (
                self.mixture.moved(sign, shift) == other.mixture
                and other.line.before(sign, shift) == self.line
            ):
                return True
        return False


@dataclass(frozen=True)
class Parameters:
    """A model as it is drawn: ``neurons`` are both alpha, both beta and both biases."""

    neurons: tuple[float, ...]
    means: tuple[float, ...]
    weights: tuple[float, ...]
    mixture: Mixture

    @property
    def model(self) -> "Model":
        """The model that the parameters describe."""
        neurons = self.neurons
        return Model(PiecewiseLine.two_relus(neurons[:2], neurons[2:4], neurons[4:]), self.mixture)


@dataclass(frozen=True)
class Found:
    """The result of the search over all models for one true model."""

    truth: Model
    lowest: float
    """The smallest negative log-likelihood of all models, in nats per sample."""
    own: float
    """The negative log-likelihood of the truth."""
    minimisers: tuple[Model, ...]
    """All models whose negative log-likelihood ties with the smallest one."""

    @property
    def inequivalent(self) -> tuple[Model, ...]:
        """The minimisers that are not affine copies of the truth."""
        return tuple(model for model in self.minimisers if not model.equivalent(self.truth))


def reduced_mixture(means: tuple[float, ...], parts: tuple[int, ...]) -> Mixture:
    """The mixture without empty components, and with equal means merged."""
    joined: dict[float, int] = {}
    for mean, part in zip(means, parts, strict=True):
        joined[mean] = joined.get(mean, 0) + part
    kept = sorted((mean, part) for mean, part in joined.items() if part)
    return Mixture(*(tuple(values) for values in zip(*kept, strict=True)))


def simplex(components: int, parts: int) -> Iterator[tuple[int, ...]]:
    """All ways to divide ``parts`` into ``components`` whole numbers."""
    for cuts in itertools.combinations(range(parts + components - 1), components - 1):
        ends = (-1, *cuts, parts + components - 1)
        yield tuple(high - low - 1 for low, high in itertools.pairwise(ends))


class Search:
    """All different models of a grid with their densities: parameters that give the same model count once."""

    def __init__(self, toy: LikelihoodToy) -> None:
        self.toy = toy
        self._neurons = list(itertools.product(toy.coefficients, repeat=6))
        self._means = list(itertools.product(toy.means, repeat=toy.components))
        self._parts = list(simplex(toy.components, toy.weight_parts))
        self.parameters = len(self._neurons) * len(self._means) * len(self._parts)
        lines = {PiecewiseLine.two_relus(v[:2], v[2:4], v[4:]): None for v in self._neurons}
        mixtures = {reduced_mixture(m, p): None for m in self._means for p in self._parts}
        self.lines, self.mixtures = list(lines), list(mixtures)
        self.x = self._points()
        grid = sorted(set(toy.means))
        weights = np.zeros((len(self.mixtures), len(grid)))
        for row, mixture in enumerate(self.mixtures):
            for mean, part in zip(mixture.means, mixture.parts, strict=True):
                weights[row, grid.index(mean)] = part / toy.weight_parts
        scales = {"spread": toy.spread, "noise": toy.noise}
        self.log_densities = np.stack(
            [
                log_mixture_densities(
                    log_component_densities(self.x, line, np.array(grid), **scales), weights
                )
                for line in self.lines
            ]
        )
        """(lines, mixtures, points)"""

    def draw(self) -> list[Parameters]:
        """The true models: parameters drawn uniformly, as in the paper."""
        rng = child_generator(self.toy.seed, "truths of the likelihood toy", self.toy.components)
        choices = (self._neurons, self._means, self._parts)
        picked = (
            [options[int(rng.integers(len(options)))] for options in choices] for _ in range(self.toy.truths)
        )
        return [
            Parameters(
                neurons,
                means,
                tuple(part / self.toy.weight_parts for part in parts),
                reduced_mixture(means, parts),
            )
            for neurons, means, parts in picked
        ]

    def found(self, truth: Model) -> Found:
        """All minimisers of ``-∫ p*(x) log p(x) dx`` over the models, for the density p* of ``truth``."""
        line, mixture = self.lines.index(truth.line), self.mixtures.index(truth.mixture)
        values = -(self.log_densities @ self.probabilities(truth))
        lowest = float(values.min())
        ties = np.argwhere(values <= lowest + self.toy.tolerance)
        models = tuple(Model(self.lines[i], self.mixtures[j]) for i, j in ties)
        return Found(truth, lowest, float(values[line, mixture]), models)

    def probabilities(self, truth: Model) -> np.ndarray:
        """The weights (points,) with which functions of x are summed to expectations under ``truth``."""
        line, mixture = self.lines.index(truth.line), self.mixtures.index(truth.mixture)
        return np.exp(self.log_densities[line, mixture]) * (self.x[1] - self.x[0])

    def curve(self, truth: Parameters, name: str, values: np.ndarray) -> np.ndarray:
        """The negative log-likelihood (values,) when one parameter changes and all others are those of ``truth``.

        ``name`` is one of ``CURVES``: the first coefficient, weight or bias of the decoder, or the first mean.
        """
        probabilities, place = self.probabilities(truth.model), CURVES.index(name)
        scales = {"spread": self.toy.spread, "noise": self.toy.noise}
        curve = []
        for value in values:
            neurons, means = list(truth.neurons), list(truth.means)
            if place < 3:
                neurons[2 * place] = float(value)
            else:
                means[0] = float(value)
            line = PiecewiseLine.two_relus(neurons[:2], neurons[2:4], neurons[4:])
            components = log_component_densities(self.x, line, np.array(means), **scales)
            curve.append(
                -float(log_mixture_densities(components, np.array([truth.weights]))[0] @ probabilities)
            )
        return np.array(curve)

    def _points(self) -> np.ndarray:
        """Equally spaced x that cover all but a negligible part of every density."""
        z = max(map(abs, self.toy.means)) + REACH * self.toy.spread
        ends = np.concatenate([line(np.array([-z, z, *line.breaks])) for line in self.lines])
        edge = np.abs(ends).max() + REACH * self.toy.noise
        step = self.toy.noise / POINTS_PER_NOISE
        return np.linspace(-edge, edge, 2 * int(np.ceil(edge / step)) + 1)
