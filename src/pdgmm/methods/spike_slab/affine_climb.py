"""Affine unmixing by maximum spike-and-slab likelihood: a quasi-Newton climb with EM steps for the prior.

Maximises ``mean_t sum_i log p_i((W x_t)_i) + log |det W|`` over square ``W`` and the priors ``p_i``. The climb
moves along ``W <- (1 + D) W``; with ``y = W x``, score ``psi`` and its derivative ``psi'``, the gradient of the
negative objective in ``D`` is ``G = E[psi(y) y^T] - 1``, and the Hessian is close to
``D_ij -> h_ij D_ij + D_ji`` with ``h_ij = E[psi'(y_i) y_j^2]``: one 2 x 2 system for each pair, as in
Ablin, Cardoso and Gramfort, "Faster ICA under orthogonal constraint" and "Faster independent component
analysis by preconditioning with Hessian approximations" (2018).
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol, Self

import torch

from pdgmm.methods.spike_slab.spike_slab_prior import Evaluation, WidthBounds

SMALLEST_EIGENVALUE = 0.2
"""The smallest eigenvalue that a Hessian block is raised to; away from the maximum it may be negative."""

LONGEST_STEP = 0.3
"""The largest absolute entry of the relative step ``D``."""

LIKELIHOOD_TOLERANCE = 1e-5
"""A smaller fall of the likelihood is ignored: means in float32 are not more exact than this."""


CONVERGED = 1e-4
"""A climb ends when a step under the last bounds changes the log-likelihood per sample by less than this."""


class Prior(Protocol):
    """A batch of densities of latents ``y`` (starts, n, samples), with independent or dependent slabs."""

    def evaluate(self, y: torch.Tensor) -> Evaluation: ...

    def updated(self, result: Evaluation, y: torch.Tensor, bounds: WidthBounds) -> Self:
        """The prior after an EM step within ``bounds``, from the ``result`` of :meth:`evaluate`."""

    def within(self, bounds: WidthBounds) -> Self: ...

    def where(self, condition: torch.Tensor, other: Self) -> Self: ...


class Climb(NamedTuple):
    """Where a batch of climbs ended: ``unmixing`` (starts, n, n), ``prior`` (starts, n, 1) each, and the
    log-likelihood per sample after every iteration, ``log_likelihoods`` (iterations, starts).

    The last likelihood is that of ``unmixing`` under the prior *before* the last EM step, so it is a lower bound.
    """

    unmixing: torch.Tensor
    prior: Prior
    log_likelihoods: torch.Tensor


def climb(white: torch.Tensor, unmixing: torch.Tensor, prior: Prior, bounds: Sequence[WidthBounds]) -> Climb:
    """Climb from every start of ``unmixing`` (starts, n, n) at once, one iteration for each of ``bounds`` at most.

    ``white`` is (n, samples), since long rows are faster. While the bounds stay the same object the likelihood never
    falls: a step that lowers it is undone and halved.
    """
    log_det = torch.linalg.slogdet
    step_size = torch.ones_like(unmixing[:, :1, :1])
    proposal, previous_bounds = unmixing, None
    history: list[torch.Tensor] = []
    for bound in bounds:
        if bound is not previous_bounds:
            prior = prior.within(bound)
        y = proposal @ white
        result = prior.evaluate(y)
        likelihood = result.log_density.sum(-1) + log_det(proposal).logabsdet
        proposed_prior = prior.updated(result, y, bound)
        proposed_direction = _direction(
            result.score @ y.mT / y.shape[-1], result.curvature @ result.squares.mT / y.shape[-1]
        )
        settled = False
        if bound is previous_bounds:
            settled = bound is bounds[-1] and bool(((likelihood - history[-1]).abs() < CONVERGED).all())
            worse = (likelihood < history[-1] - LIKELIHOOD_TOLERANCE)[:, None, None]
            likelihood = torch.where(worse[:, 0, 0], history[-1], likelihood)
            proposal = torch.where(worse, unmixing, proposal)
            proposed_direction = torch.where(worse, direction, proposed_direction)  # noqa: F821
            proposed_prior = prior.where(worse, proposed_prior)
            step_size = torch.where(worse, step_size / 2, (step_size * 1.5).clamp_max(1))
        unmixing, prior, direction, previous_bounds = proposal, proposed_prior, proposed_direction, bound
        history.append(likelihood)
        if settled:
            break
        proposal = unmixing + step_size * (direction @ unmixing)
    return Climb(unmixing, prior, torch.stack(history))


def log_likelihood(white: torch.Tensor, unmixing: torch.Tensor, prior: Prior) -> torch.Tensor:
    """Mean log-likelihood (starts,) of ``white`` (n, samples)."""
    density = prior.evaluate(unmixing @ white).log_density.sum(-1)
    return density + torch.linalg.slogdet(unmixing).logabsdet


def _direction(moment: torch.Tensor, curvature: torch.Tensor) -> torch.Tensor:
    """The quasi-Newton direction ``D`` (starts, n, n) for ``E[psi y^T]`` and ``h``."""
    identity = torch.eye(moment.shape[-1], dtype=moment.dtype, device=moment.device)
    gradient = moment - identity
    # Eigenvalues of [[h_ij, 1], [1, h_ji]]: mean of the diagonal ± sqrt(half difference^2 + 1).
    half_difference = (curvature - curvature.mT) / 2
    smallest = (curvature + curvature.mT) / 2 - torch.sqrt(half_difference**2 + 1)
    lifted = curvature + (SMALLEST_EIGENVALUE - smallest).clamp_min(0)
    pairs = (gradient.mT - lifted.mT * gradient) / (lifted * lifted.mT - 1)
    diagonal = torch.diagonal(curvature, dim1=-2, dim2=-1)
    scales = -torch.diagonal(gradient, dim1=-2, dim2=-1) / (diagonal + 1).clamp_min(SMALLEST_EIGENVALUE)
    direction = pairs * (1 - identity) + torch.diag_embed(scales)
    longest = direction.abs().amax(dim=(-2, -1), keepdim=True)
    return direction * (LONGEST_STEP / longest).clamp_max(1)
