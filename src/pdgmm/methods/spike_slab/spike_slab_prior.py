"""The spike-and-slab density of one latent, its derivatives and its EM step.

``p(y) = w N(y; c, e^2) + (1 - w) N(y; m, s^2)``

The spike (weight ``w``, centre ``c``, width ``e``) describes the latent while it is masked, the slab (mean ``m``,
scale ``s``) while it is active. Tensors hold rows of latents, ``y`` (…, n, samples), so that many sets of latents
can be handled as one batch; the parameters are (…, n, 1).
"""

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import torch
from torch.nn.functional import softplus

LOG_2PI = math.log(2 * math.pi)
SMALLEST_WEIGHT = 1e-3
SMALLEST_VARIANCE = 1e-12


class WidthBounds(NamedTuple):
    """The spike's width stays between these multiples of the slab's scale.

    The upper one keeps it a spike: with a free width the density becomes just heavy-tailed, and its maximum is
    elsewhere if the latents depend on each other. The lower one is lowered by annealing. With tensors (starts, 1),
    each start of a batch has its own bounds.
    """

    lower: torch.Tensor
    upper: torch.Tensor

    def clamp(self, ratio: torch.Tensor) -> torch.Tensor:
        """The nearest ratio of width to scale, for ``ratio`` (…, n)."""
        return torch.clamp(ratio, self.lower.to(ratio), self.upper.to(ratio))

    def tied(
        self, spike_variance: torch.Tensor, slab_variance: torch.Tensor, weight: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """The likeliest width ``e`` and scale ``s`` within the bounds, each (…, n).

        Inside the bounds these are the standard deviations themselves. Otherwise ``e = k s`` at the nearer bound
        ``k``, and ``s^2 = (1 - w) slab variance + w spike variance / k^2``. The expected log-likelihood is concave
        in (log e, log s), so this is its maximum.
        """
        ratio = torch.sqrt(spike_variance / slab_variance)
        bounded = self.clamp(ratio)
        tied = (1 - weight) * slab_variance + weight * spike_variance / bounded**2
        scale = torch.where(bounded == ratio, slab_variance, tied).sqrt()
        return bounded * scale, scale


@dataclass(frozen=True)
class SpikeSlabPrior:
    """The parameters of the density, each (…, n, 1)."""

    weight: torch.Tensor
    centre: torch.Tensor
    width: torch.Tensor
    mean: torch.Tensor
    scale: torch.Tensor

    @classmethod
    def wide(cls, *shape: int, dtype: torch.dtype = torch.float32) -> "SpikeSlabPrior":
        """A prior for latents of unit variance about which nothing is known yet; ``shape`` is without samples."""
        one = torch.ones(*shape, 1, dtype=dtype)
        return cls(0.5 * one, 0 * one, 0.5 * one, 0 * one, 1.2 * one)

    def values(self) -> tuple[torch.Tensor, ...]:
        """The parameters in the order of the fields."""
        return self.weight, self.centre, self.width, self.mean, self.scale

    def __getitem__(self, index: torch.Tensor | slice | int | None) -> "SpikeSlabPrior":
        return SpikeSlabPrior(*(value[index] for value in self.values()))

    def where(self, condition: torch.Tensor, other: "SpikeSlabPrior") -> "SpikeSlabPrior":
        """These parameters where ``condition`` holds, else those of ``other``."""
        pairs = zip(self.values(), other.values(), strict=True)
        return SpikeSlabPrior(*(torch.where(condition, one, two) for one, two in pairs))

    def rescaled(self) -> "SpikeSlabPrior":
        """The prior of ``y / scale``: slabs of scale 1."""
        one = torch.ones_like(self.scale)
        return SpikeSlabPrior(
            self.weight, self.centre / self.scale, self.width / self.scale, self.mean / self.scale, one
        )

    def shifted(self, offset: torch.Tensor) -> "SpikeSlabPrior":
        """The prior of ``y + offset``."""
        return replace(self, centre=self.centre + offset, mean=self.mean + offset)

    def cpu(self) -> "SpikeSlabPrior":
        """The same on the CPU."""
        return SpikeSlabPrior(*(value.cpu() for value in self.values()))

    def within(self, bounds: WidthBounds) -> "SpikeSlabPrior":
        """The same with the width moved into ``bounds``."""
        ratio = (self.width / self.scale).squeeze(-1)
        return replace(self, width=bounds.clamp(ratio).unsqueeze(-1) * self.scale)

    def evaluate(self, y: torch.Tensor) -> "Evaluation":
        """See :func:`evaluate`."""
        return evaluate(self, y)

    def updated(self, result: "Evaluation", y: torch.Tensor, bounds: WidthBounds) -> "SpikeSlabPrior":
        """The EM step; see :func:`m_step`."""
        return m_step(result.moments, bounds)

    @staticmethod
    def stacked(priors: list["SpikeSlabPrior"]) -> "SpikeSlabPrior":
        """Several priors as one batch."""
        parameters = zip(*(prior.values() for prior in priors), strict=True)
        return SpikeSlabPrior(*(torch.cat(values) for values in parameters))


class Moments(NamedTuple):
    """Means over the samples, each (…, n): what the EM step needs. ``spike`` is the mean responsibility."""

    spike: torch.Tensor
    spike_y: torch.Tensor
    spike_y2: torch.Tensor
    y: torch.Tensor
    y2: torch.Tensor

    @classmethod
    def of(cls, responsibility: torch.Tensor, y: torch.Tensor, squares: torch.Tensor) -> "Moments":
        """The moments of ``y`` (…, n, samples), given the spikes' responsibilities; ``squares`` is ``y^2``."""
        return cls(
            responsibility.mean(-1),
            _mean_product(responsibility, y),
            _mean_product(responsibility, squares),
            y.mean(-1),
            squares.mean(-1),
        )


class Evaluation(NamedTuple):
    """``log_density`` (…, n) is the mean of ``log p(y)``; ``score = -d log p / dy``, its derivative
    ``curvature``, ``squares = y^2`` and the spikes' responsibilities ``spike`` are (…, n, samples)."""

    log_density: torch.Tensor
    score: torch.Tensor
    curvature: torch.Tensor
    squares: torch.Tensor
    moments: Moments
    spike: torch.Tensor


def log_odds(prior: SpikeSlabPrior, y: torch.Tensor) -> torch.Tensor:
    """Log odds of spike against slab, a quadratic in ``y``; the responsibility is their sigmoid."""
    quadratic, linear, constant = _log_odds_coefficients(prior)
    return (quadratic * y + linear).mul_(y).add_(constant)


def log_density(prior: SpikeSlabPrior, y: torch.Tensor) -> torch.Tensor:
    """``log p(y)``, the shape of ``y``."""
    slab = -0.5 * ((y - prior.mean) / prior.scale) ** 2 - torch.log(prior.scale) - 0.5 * LOG_2PI
    return torch.log1p(-prior.weight) + slab + softplus(log_odds(prior, y))


def evaluate(prior: SpikeSlabPrior, y: torch.Tensor) -> Evaluation:
    """Density, derivatives and moments of ``y`` (…, n, samples) in as few passes as possible.

    With the responsibility ``r`` and the two scores ``(y - c) / e^2`` and ``(y - m) / s^2``, whose difference
    is ``d``: ``score = (y - m) / s^2 + r d`` and ``curvature = 1 / s^2 + r (1 / e^2 - 1 / s^2 - (1 - r) d^2)``.
    """
    quadratic, linear, constant = _log_odds_coefficients(prior)
    precision = prior.scale**-2
    odds = (quadratic * y + linear).mul_(y).add_(constant)
    responsibility = torch.sigmoid(odds)
    squares = y * y
    moments = Moments.of(responsibility, y, squares)
    slab_constant = torch.log1p(-prior.weight) - torch.log(prior.scale) - 0.5 * LOG_2PI
    mean_square = moments.y2 - 2 * prior.mean[..., 0] * moments.y + prior.mean[..., 0] ** 2
    density = mean_softplus(odds, responsibility) + (
        slab_constant[..., 0] - 0.5 * precision[..., 0] * mean_square
    )
    difference = (-2 * quadratic * y).sub_(linear)
    score = (responsibility * difference).add_((precision * y).sub_(precision * prior.mean))
    curvature = difference.square_().mul_(responsibility - 1).sub_(2 * quadratic)
    curvature = curvature.mul_(responsibility).add_(precision)
    return Evaluation(density, score, curvature, squares, moments, responsibility)


def m_step(moments: Moments, bounds: WidthBounds) -> SpikeSlabPrior:
    """The parameters that maximise the expected log-likelihood of ``y`` and its responsibilities.

    These are weighted means and standard deviations; :meth:`WidthBounds.tied` keeps the latter within the bounds.
    """
    weight = moments.spike.clamp(SMALLEST_WEIGHT, 1 - SMALLEST_WEIGHT)
    active = 1 - weight
    centre = moments.spike_y / weight
    mean = (moments.y - moments.spike_y) / active
    spike_variance = (moments.spike_y2 / weight - centre**2).clamp_min(SMALLEST_VARIANCE)
    slab_variance = ((moments.y2 - moments.spike_y2) / active - mean**2).clamp_min(SMALLEST_VARIANCE)
    width, scale = bounds.tied(spike_variance, slab_variance, weight)
    return SpikeSlabPrior(*(value.unsqueeze(-1) for value in (weight, centre, width, mean, scale)))


def fit_prior(y: torch.Tensor, prior: SpikeSlabPrior, bounds: WidthBounds, iterations: int) -> SpikeSlabPrior:
    """``prior`` after that many EM steps on fixed ``y`` (…, n, samples)."""
    prior, squares = prior.within(bounds), y * y
    for _ in range(iterations):
        prior = m_step(Moments.of(log_odds(prior, y).sigmoid_(), y, squares), bounds)
    return prior


def _log_odds_coefficients(prior: SpikeSlabPrior) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    spike, slab = prior.width**-2, prior.scale**-2
    constant = (
        torch.logit(prior.weight)
        + torch.log(prior.scale / prior.width)
        - 0.5 * (prior.centre**2 * spike - prior.mean**2 * slab)
    )
    return 0.5 * (slab - spike), prior.centre * spike - prior.mean * slab, constant


def mean_softplus(odds: torch.Tensor, responsibility: torch.Tensor) -> torch.Tensor:
    """Mean of ``log(1 + exp(odds)) = max(odds, 0) - log max(r, 1 - r)``, with known ``r = sigmoid(odds)``.

    It is several times as fast as torch's softplus, which is not vectorised.
    """
    larger = torch.maximum(responsibility, 1 - responsibility)
    return odds.clamp_min(0).mean(-1) - larger.log_().mean(-1)


def _mean_product(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return torch.linalg.vecdot(a, b) / a.shape[-1]
