"""The rotation of a code with which its decoder's Jacobian is sparsest."""

import torch

from pdgmm.methods.ddl.penalties import log_sum

ITERATIONS = 300
LEARNING_RATE = 0.05


def sparsest_rotation(moments: torch.Tensor, starts: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The rotation ``R`` (d, d) with the smallest ``sum_ij log(sqrt(r_j^T M_i r_j) + FLOOR)``, and all values found.

    ``moments`` (m, d, d) holds ``M_i = E J_i^T J_i`` for the rows ``J_i`` of the Jacobian: ``J R`` has the root mean
    squares ``sqrt(r_j^T M_i r_j)``. All ``starts`` (count, d, d), any matrices, are improved together with Adam; a
    rotation is the orthogonal factor of a matrix.
    """
    matrices = starts.clone().requires_grad_()
    optimizer = torch.optim.Adam([matrices], lr=LEARNING_RATE)
    with torch.enable_grad():
        for _ in range(ITERATIONS):
            values = _penalty(torch.linalg.qr(matrices).Q, moments)
            optimizer.zero_grad()
            values.sum().backward()
            optimizer.step()
    rotations = torch.linalg.qr(matrices.detach()).Q
    values = _penalty(rotations, moments)
    return rotations[values.argmin()], values


def _penalty(rotations: torch.Tensor, moments: torch.Tensor) -> torch.Tensor:
    squares = torch.einsum("bjk,ijl,blk->bik", rotations, moments, rotations)
    return log_sum((squares + 1e-8).sqrt())
