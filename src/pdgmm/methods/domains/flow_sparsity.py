"""How sparse the mixing of a flow is, differentiable by its parameters."""

import torch

from pdgmm.models.coupling_flow import CouplingFlow

STEP = 1e-2
"""Length of the forward differences, in deviations of a latent. Between kinks they are exact up to curvature."""


def mixing_jacobian(
    flow: CouplingFlow, y: torch.Tensor, deviations: torch.Tensor, back: torch.Tensor
) -> torch.Tensor:
    """``dx/dz_k sd(z_k)`` (samples, x_dim, n) at codes ``y`` (samples, dim), by forward differences.

    ``deviations`` (n,) are those of the latents, and ``back`` (x_dim, dim) takes the flow's input to observations.
    """
    n = len(deviations)
    steps = torch.zeros(n, 1, y.shape[1], dtype=y.dtype, device=y.device)
    steps[torch.arange(n), 0, torch.arange(n)] = STEP * deviations
    places = torch.cat([y[None], y[None] + steps]).flatten(0, 1)
    x = (flow.inverse(places) @ back.T).unflatten(0, (n + 1, len(y)))
    return ((x[1:] - x[0]) / STEP).permute(1, 2, 0)


def log_column_sums(jacobian: torch.Tensor) -> torch.Tensor:
    """``sum_k mean log sum_i |J_ik|``, a number that falls as the columns of J (samples, x_dim, n) get sparser."""
    return jacobian.abs().sum(dim=1).clamp(min=1e-12).log().sum(dim=1).mean()
