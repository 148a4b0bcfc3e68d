"""How sparse the mixing of a flow is, differentiable by its parameters."""

import torch

from pdgmm.models.coupling_flow import CouplingFlow

STEP = 1e-2
"""Length of the forward differences, in deviations of a latent. Between kinks they are exact up to curvature."""

SMALLEST_LENGTH = 1e-12
SMALLEST_ANGLE = 1e-6
"""Added to the squared sines of angles between columns: columns on one line cost much, but not without limit."""


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


def denseness(jacobian: torch.Tensor) -> torch.Tensor:
    """``mean [sum_k log |J_k|_1 - 1/2 log det J^T J]`` for J (samples, x_dim, n), at least 0.

    It falls as the columns of J get sparser, and does not depend on their sizes. Without the determinant a code could
    make it small by latents that hold next to nothing, or by stretching places without samples.
    """
    lengths = jacobian.norm(dim=1).clamp(min=SMALLEST_LENGTH)
    spread = (jacobian.abs().sum(dim=1).clamp(min=SMALLEST_LENGTH) / lengths).log().sum(dim=1)
    directions = jacobian / lengths[:, None]
    angles = directions.mT @ directions + SMALLEST_ANGLE * torch.eye(jacobian.shape[2]).to(jacobian)
    return (spread - 0.5 * torch.linalg.slogdet(angles).logabsdet).mean()
