"""Search for single sparse directions, and the choice of n of them.

When a latent is masked, its samples lie on a hyperplane. A direction that maximises the spike-and-slab likelihood of
its own projection, without regard to other directions, finds such a hyperplane even if the latents are dependent and
often active together. Climbs of the whole matrix get stuck in that case.
"""

from collections.abc import Sequence

import torch
from torch.nn.functional import normalize

from pdgmm.methods.spike_slab.spike_slab_prior import SpikeSlabPrior, WidthBounds, evaluate, m_step

SMALLEST_CURVATURE = 0.3
LONGEST_STEP = 0.5


def climb_directions(
    white: torch.Tensor, directions: torch.Tensor, bounds: Sequence[WidthBounds]
) -> tuple[torch.Tensor, SpikeSlabPrior, torch.Tensor]:
    """Climb from every unit vector of ``directions`` (count, n) on the sphere; ``white`` is (n, samples).

    The step is that of FastICA's fixed point, ``-grad / (E[psi'] - E[psi y])``, with the curvature kept
    positive and the length bounded. Returns directions, their priors (count, 1) and log-likelihoods (count,).
    """
    prior = SpikeSlabPrior.wide(len(directions), dtype=white.dtype)
    for bound in bounds:
        y = directions @ white
        result = evaluate(prior, y)
        gradient = result.score @ white.T / white.shape[1]
        along = (gradient * directions).sum(-1, keepdim=True)
        curvature = (result.curvature.mean(-1, keepdim=True) - along).clamp_min(SMALLEST_CURVATURE)
        step = (along * directions - gradient) / curvature
        length = step.norm(dim=-1, keepdim=True)
        directions = normalize(directions + step * (LONGEST_STEP / length).clamp_max(1), dim=-1)
        prior = m_step(result.moments, bound)
    return directions, prior, evaluate(prior, directions @ white).log_density


def choose_directions(directions: torch.Tensor, log_likelihoods: torch.Tensor) -> torch.Tensor:
    """Indices of n of the ``directions`` (count, n), greedily by likelihood plus log of the new volume.

    The sum over the chosen ones is the likelihood of the matrix that they form, so a copy of a direction that is
    already chosen (no new volume) is never chosen.
    """
    tiny = torch.finfo(directions.dtype).tiny
    remainder, chosen = directions, []
    for _ in range(directions.shape[1]):
        best = int((log_likelihoods + torch.log(remainder.norm(dim=-1) + tiny)).argmax())
        chosen.append(best)
        axis = normalize(remainder[best], dim=0)
        remainder = remainder - (remainder @ axis)[:, None] * axis
    return torch.tensor(chosen)
