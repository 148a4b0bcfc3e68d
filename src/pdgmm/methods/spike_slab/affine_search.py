"""The affine solution: many starts race on few samples, and the winner is refined on all samples."""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import torch
from torch.nn.functional import normalize

from pdgmm.methods.spike_slab.affine_climb import climb
from pdgmm.methods.spike_slab.dependent_prior import DependentPrior
from pdgmm.methods.spike_slab.single_directions import choose_directions, climb_directions
from pdgmm.methods.spike_slab.spike_slab import SpikeSlab
from pdgmm.methods.spike_slab.spike_slab_prior import SpikeSlabPrior, WidthBounds

FREE, SPIKY = 1.0, 0.3
"""Upper bounds of the spike's width during the search; starts alternate between the two.

A free width works if spike and slab are far apart; a bounded one works if latents depend on each other or are mostly
active.
"""

LEAST_DIRECTIONS = 5
"""The fewest single directions per latent that are worth searching; in many dimensions joint starts are better."""

DIRECTION_ITERATIONS = 40

ICA_SAMPLES, ICA_SAMPLES_PER_LATENT = 20_000, 500
"""Samples for FastICA: at least the first number, and at least the second per latent; else it does not converge."""

ICA_STEPS, ICA_TOLERANCE = 50, 1e-3
"""The most steps of FastICA, or one for each latent if that is more: 400 latents take about 110 steps."""

ICA_WIDTH, ICA_ITERATIONS = 0.4, 24
"""FastICA's solution is close to the optimum: the spikes start narrower, and fewer iterations are enough."""

SAMPLES_PER_LATENT = 100
"""Samples of the search and of the final: at least this many per latent."""

ROUND = 4
"""How many random starts are climbed together."""

MOST_RACED_LATENTS = 100
"""With more latents, random starts do not work: FastICA's solution is the only start, unless it fails."""

AS_LIKELY, SAME = 0.1, 0.98
"""Two starts reached the same optimum if their log-likelihoods per sample differ by less than the first number, and
every latent of one has at least the second as correlation with a latent of the other."""


class AffineSolution(NamedTuple):
    """``unmixing`` (n, n) of whitened samples, its ``prior``, its likelihood, and how the race went.

    ``starts`` names the starts in the order in which they were climbed, ``start_log_likelihoods`` holds the values
    that they reached on the same samples, and ``agreed`` says whether two of them reached the best optimum.
    """

    unmixing: torch.Tensor
    prior: DependentPrior
    log_likelihood: float
    starts: list[str]
    start_log_likelihoods: list[float]
    agreed: bool
    history: list[float]

    def notes(self) -> dict[str, Any]:
        """The result as JSON values; widths and centres are in units of the latent's slab scale."""
        spikes = self.prior.rescaled().spikes
        return {
            "spike_probability": spikes.weight.flatten().tolist(),
            "spike_centre": spikes.centre.flatten().tolist(),
            "spike_width": spikes.width.flatten().tolist(),
            "slab_mean": spikes.mean.flatten().tolist(),
            "starts": self.starts,
            "start_log_likelihoods": self.start_log_likelihoods,
            "starts_agreed": self.agreed,
        }


class Entrant(NamedTuple):
    """Where one start of the race ended: unmixing (1, n, n), prior, log-likelihoods of all its iterations."""

    name: str
    unmixing: torch.Tensor
    prior: DependentPrior
    history: list[float]

    @property
    def log_likelihood(self) -> float:
        """The log-likelihood on the samples of the final."""
        return self.history[-1]


def solve(
    white: torch.Tensor,
    plan: SpikeSlab,
    generator: torch.Generator,
    given: tuple[torch.Tensor, SpikeSlabPrior] | None = None,
) -> AffineSolution:
    """The affine unmixing of ``white`` (n, samples) with the largest likelihood that was found.

    Starts are climbed, the cheap and promising ones first, until two of them have reached the best optimum so far, or
    until ``plan.starts`` random ones have been climbed too. ``given`` is one more start, if a good one is known: an
    unmixing (n, n) and its prior (n, 1). The winner is refined on all samples.
    """
    entrants: list[Entrant] = []
    for climbed in _rounds(white, plan, generator, given):
        entrants += climbed
        if _agreed(entrants):
            break
    winner = max(entrants, key=lambda entrant: entrant.log_likelihood)
    polished = climb(white, winner.unmixing, winner.prior, [_narrow(plan)] * plan.polish_iterations)
    return AffineSolution(
        polished.unmixing[0],
        polished.prior[0],
        float(polished.log_likelihoods[-1, 0]),
        [entrant.name for entrant in entrants],
        [entrant.log_likelihood for entrant in entrants],
        _agreed(entrants),
        winner.history + polished.log_likelihoods[:, 0].tolist(),
    )


def found_again(
    solution: AffineSolution, white: torch.Tensor, plan: SpikeSlab, generator: torch.Generator
) -> torch.Tensor:
    """How well searches on the halves of ``white`` (n, samples) find every latent of ``solution`` again.

    Returns (n,): for each latent its largest correlation with a latent of either search, and of the two searches the
    smaller value. It is near 1 if the latent does not depend on the samples and on the starts of the searches.
    """
    halves = [solve(white[:, first::2].contiguous(), plan, generator) for first in (0, 1)]
    return torch.stack([_correlations(solution.unmixing, half.unmixing).amax(1) for half in halves]).amin(0)


def _rounds(
    white: torch.Tensor,
    plan: SpikeSlab,
    generator: torch.Generator,
    given: tuple[torch.Tensor, SpikeSlabPrior] | None,
) -> Iterator[list[Entrant]]:
    """The entrants of the race, a round at a time."""
    n = len(white)
    few = white[:, : max(plan.search_samples, SAMPLES_PER_LATENT * n)].contiguous()
    more = white[:, : max(plan.final_samples, SAMPLES_PER_LATENT * n)].contiguous()

    def final(
        names: list[str], unmixing: torch.Tensor, prior: SpikeSlabPrior, history: torch.Tensor
    ) -> list[Entrant]:
        """Climb on from each start with dependent slabs and more samples."""
        ended = climb(
            more, unmixing, DependentPrior.from_independent(prior), [_narrow(plan)] * plan.final_iterations
        )
        together = torch.cat([history, ended.log_likelihoods])
        return [
            Entrant(name, ended.unmixing[i : i + 1], ended.prior[i : i + 1], together[:, i].tolist())
            for i, name in enumerate(names)
        ]

    def climbed(name: str, unmixing: torch.Tensor, plan: SpikeSlab, loosest: torch.Tensor) -> list[Entrant]:
        wide = SpikeSlabPrior.wide(len(unmixing), n, dtype=white.dtype)
        found = climb(few, unmixing, wide, annealed_bounds(plan, loosest))
        return final([name] * len(unmixing), found.unmixing, found.prior, found.log_likelihoods)

    if given is not None:
        yield final(["given"], given[0][None], given[1][None], white.new_zeros(0, 1))
    independent = _independent_components(white[:, : max(ICA_SAMPLES, ICA_SAMPLES_PER_LATENT * n)], generator)
    if independent is not None:
        short = plan.model_copy(update={"first_width": ICA_WIDTH, "search_iterations": ICA_ITERATIONS})
        yield climbed("ica", independent[None], short, torch.tensor([[FREE]]))
        if n > MOST_RACED_LATENTS:
            return
    count = min(plan.directions_per_latent * n, plan.most_directions)
    for first in range(0, plan.starts, ROUND):
        if LEAST_DIRECTIONS * n <= count:
            unmixing, prior = _from_single_directions(few, plan, count, generator)
            yield final(["directions"], unmixing, prior, white.new_zeros(0, 1))
        size = min(ROUND, plan.starts - first)
        loosest = torch.full((size, 1), SPIKY)
        loosest[1::2] = FREE
        yield climbed("random", random_orthogonal(size, n, generator).to(white), plan, loosest)


def _agreed(entrants: list[Entrant]) -> bool:
    """Whether two entrants reached the best optimum: as likely, and the same directions."""
    first, *others = sorted(entrants, key=lambda entrant: -entrant.log_likelihood)
    return any(
        other.log_likelihood > first.log_likelihood - AS_LIKELY
        and same_latents(first.unmixing[0], other.unmixing[0], SAME)
        for other in others
    )


def same_latents(one: torch.Tensor, other: torch.Tensor, least: float) -> bool:
    """Whether every latent of one unmixing (n, n) of white samples correlates by ``least`` with one of the other."""
    correlation = _correlations(one, other)
    return bool((correlation.amax(0) > least).all() and (correlation.amax(1) > least).all())


def _correlations(one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """Absolute correlations (n, n) of the latents of two unmixings (n, n) of white samples."""
    # The samples are white, so products of unit rows are correlations.
    return (normalize(one, dim=-1) @ normalize(other, dim=-1).T).abs()


def _narrow(plan: SpikeSlab) -> WidthBounds:
    return WidthBounds(torch.tensor(plan.narrowest_width), torch.tensor(plan.widest_width))


def _independent_components(white: torch.Tensor, generator: torch.Generator) -> torch.Tensor | None:
    """FastICA's unmixing (n, n) of ``white`` (n, samples) with ``g = tanh``; None if it fails.

    ``W <- E[g(y) x^T] - diag(E[g'(y)]) W``, made orthogonal, until it no longer changes (Hyvärinen, 1999). Importing
    scikit-learn's version would take longer than the whole search.
    """
    unmixing = random_orthogonal(1, len(white), generator)[0].to(white)
    for _ in range(max(ICA_STEPS, len(white))):
        bent = torch.tanh(unmixing @ white)
        slope = 1 - bent.square().mean(1, keepdim=True)
        left, _, right = torch.linalg.svd(bent @ white.T / white.shape[1] - slope * unmixing)
        previous, unmixing = unmixing, left @ right
        if not torch.isfinite(unmixing).all():
            return None
        if (unmixing * previous).sum(1).abs().min() > 1 - ICA_TOLERANCE:
            break
    return unmixing


def annealed_bounds(plan: SpikeSlab, loosest: torch.Tensor) -> list[WidthBounds]:
    """Bounds for each search iteration: the lower one falls geometrically over 70 % of the iterations, then stays.

    The upper one is ``loosest``, but never below the lower one. The bounds change only every third iteration, so
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
    white: torch.Tensor, plan: SpikeSlab, count: int, generator: torch.Generator
) -> tuple[torch.Tensor, SpikeSlabPrior]:
    directions = torch.randn(count, len(white), generator=generator).to(white)
    directions = normalize(directions, dim=-1)
    short = plan.model_copy(
        update={"first_width": 2 * plan.last_width, "search_iterations": DIRECTION_ITERATIONS}
    )
    bounds = annealed_bounds(short, torch.tensor(plan.last_width))
    directions, prior, likelihoods = climb_directions(white, directions, bounds)
    chosen = choose_directions(directions, likelihoods)
    return directions[chosen][None], prior[chosen][None]
