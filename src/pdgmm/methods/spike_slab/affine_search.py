"""The affine solution: many starts on few samples, the best few on more, the best one on all."""

import math
from typing import Any, NamedTuple

import torch

from pdgmm.methods.spike_slab.affine_climb import Climb, climb
from pdgmm.methods.spike_slab.dependent_prior import DependentPrior
from pdgmm.methods.spike_slab.single_directions import choose_directions, climb_directions
from pdgmm.methods.spike_slab.spike_slab import SpikeSlab
from pdgmm.methods.spike_slab.spike_slab_prior import SpikeSlabPrior, WidthBounds

FREE, SPIKY = 1.0, 0.3
"""Upper bounds of the spike's width while searching: every other start has the one or the other.

A free width finds its way where spike and slab are apart, a bounded one where latents depend on each other or
are mostly active. The best of either kind goes on to the final.
"""

LEAST_DIRECTIONS = 5
"""Single directions per latent that are worth while. In many dimensions the joint starts are better anyway."""

DIRECTION_ITERATIONS = 40


class AffineSolution(NamedTuple):
    """``unmixing`` (n, n) of whitened samples, its ``prior``, and the likelihoods that chose them.

    ``start_log_likelihoods`` has one entry a joint start, on the search samples;
    ``finalist_log_likelihoods`` those of the finalists: the best joint starts, the two starts from single
    directions, and the given start, where there are such. ``finalists`` (count, n, n) are their unmixings and
    ``finalist_priors`` their priors.
    """

    unmixing: torch.Tensor
    prior: DependentPrior
    log_likelihood: float
    start_log_likelihoods: list[float]
    finalist_log_likelihoods: list[float]
    finalists: torch.Tensor
    finalist_priors: DependentPrior
    history: list[float]

    def notes(self) -> dict[str, Any]:
        """What was learned, as JSON values; widths and centres in units of the latent's slab scale."""
        spikes = self.prior.rescaled().spikes
        return {
            "spike_probability": spikes.weight.flatten().tolist(),
            "spike_centre": spikes.centre.flatten().tolist(),
            "spike_width": spikes.width.flatten().tolist(),
            "slab_mean": spikes.mean.flatten().tolist(),
            "start_log_likelihoods": self.start_log_likelihoods,
            "finalist_log_likelihoods": self.finalist_log_likelihoods,
        }


def solve(
    white: torch.Tensor,
    plan: SpikeSlab,
    generator: torch.Generator,
    given: tuple[torch.Tensor, SpikeSlabPrior] | None = None,
) -> AffineSolution:
    """The affine unmixing of ``white`` (n, samples) with the largest likelihood that was found.

    ``given`` is one more finalist, an unmixing (n, n) and its prior (n, 1), where a good one is known.
    """
    n = len(white)
    few = white[:, : plan.search_samples].contiguous()
    loosest = torch.full((plan.starts, 1), FREE)
    loosest[1::2] = SPIKY
    joint = climb(
        few,
        random_orthogonal(plan.starts, n, generator).to(white),
        SpikeSlabPrior.wide(plan.starts, n, dtype=white.dtype),
        annealed_bounds(plan, loosest),
    )
    start_likelihoods = joint.log_likelihoods[-1]
    best = torch.stack(
        [
            torch.where(loosest[:, 0] == kind, start_likelihoods, -math.inf).argmax()
            for kind in loosest.unique()
        ]
    )
    candidates, priors = joint.unmixing[best], joint.prior[best]
    if LEAST_DIRECTIONS * n <= min(plan.directions_per_latent * n, plan.most_directions):
        for first_width in (plan.first_width, 2 * plan.last_width):
            single, prior = _from_single_directions(few, plan, first_width, generator)
            candidates, priors = torch.cat([candidates, single]), SpikeSlabPrior.stacked([priors, prior])
    if given is not None:
        candidates = torch.cat([candidates, given[0][None]])
        priors = SpikeSlabPrior.stacked([priors, given[1][None]])
    narrow = WidthBounds(torch.tensor(plan.narrowest_width), torch.tensor(plan.widest_width))
    more = white[:, : plan.final_samples].contiguous()
    finals = climb(
        more, candidates, DependentPrior.from_independent(priors), [narrow] * plan.final_iterations
    )
    winner = int(finals.log_likelihoods[-1].argmax())
    chosen = slice(winner, winner + 1)
    polished = climb(white, finals.unmixing[chosen], finals.prior[chosen], [narrow] * plan.polish_iterations)
    return AffineSolution(
        polished.unmixing[0],
        polished.prior[0],
        float(polished.log_likelihoods[-1, 0]),
        start_likelihoods.tolist(),
        finals.log_likelihoods[-1].tolist(),
        finals.unmixing,
        finals.prior,
        _joined([joint, finals, polished], [int(best[min(winner, len(best) - 1)]), winner, 0]),
    )


def annealed_bounds(plan: SpikeSlab, loosest: torch.Tensor) -> list[WidthBounds]:
    """Bounds for each search iteration: the lower one falls geometrically over 70 % of them, then stays.

    The upper one is ``loosest``, but never below the lower one. They change every third iteration only, so
    that a step that lowers the likelihood can be noticed in between.
    """
    fall = math.log(plan.last_width / plan.first_width)
    bounds: list[WidthBounds] = []
    for number in range(plan.search_iterations):
        if number % 3:
            bounds.append(bounds[-1])
            continue
        share = min(1.0, number / (0.7 * plan.search_iterations))
        lower = torch.tensor(plan.first_width * math.exp(fall * share))
        bounds.append(WidthBounds(lower, torch.maximum(lower, loosest)))
    return bounds


def random_orthogonal(count: int, n: int, generator: torch.Generator) -> torch.Tensor:
    """``count`` orthogonal matrices (count, n, n)."""
    return torch.linalg.qr(torch.randn(count, n, n, generator=generator)).Q


def _from_single_directions(
    white: torch.Tensor, plan: SpikeSlab, first_width: float, generator: torch.Generator
) -> tuple[torch.Tensor, SpikeSlabPrior]:
    n = len(white)
    count = min(plan.directions_per_latent * n, plan.most_directions)
    directions = torch.randn(count, n, generator=generator).to(white)
    directions = torch.nn.functional.normalize(directions, dim=-1)
    short = plan.model_copy(update={"first_width": first_width, "search_iterations": DIRECTION_ITERATIONS})
    bounds = annealed_bounds(short, torch.tensor(plan.last_width))
    directions, prior, likelihoods = climb_directions(white, directions, bounds)
    chosen = choose_directions(directions, likelihoods)
    return directions[chosen][None], prior[chosen][None]


def _joined(climbs: list[Climb], columns: list[int]) -> list[float]:
    return [
        value
        for part, column in zip(climbs, columns, strict=True)
        for value in part.log_likelihoods[:, column].tolist()
    ]
