"""The rotation of a code with which its decoder's Jacobian is sparsest."""

import numpy as np
import torch

from pdgmm.fitting.decoder_jacobian import layers_jacobian
from pdgmm.methods.ddl.penalties import log_sum
from pdgmm.methods.vae.vae_network import VaeNetwork

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


@torch.no_grad()
def turn_to_sparsest(network: VaeNetwork, x: torch.Tensor, starts: int, rng: np.random.Generator) -> None:
    """Whiten the code of standardised ``x`` (samples, x_dim) and turn it so that the Jacobian is sparsest."""
    posterior = network.posterior(x)
    mean = posterior.mean.mean(dim=0)
    values, vectors = torch.linalg.eigh(torch.cov(posterior.mean.T))
    root = vectors * values.clamp_min(1e-6).sqrt()
    jacobian = layers_jacobian(network.decoder, posterior.mean)[1] @ root
    moments = torch.einsum("nij,nik->ijk", jacobian, jacobian) / len(x)
    drawn = torch.from_numpy(rng.normal(size=(starts, len(mean), len(mean)))).to(moments)
    rotation, _ = sparsest_rotation(moments, drawn)
    turn_code(network, root @ rotation, mean, posterior.log_variance.exp().mean(dim=0))


@torch.no_grad()
def turn_code(network: VaeNetwork, matrix: torch.Tensor, mean: torch.Tensor, variances: torch.Tensor) -> None:
    """Replace the code ``z`` by ``v`` with ``z = mean + matrix v``; what is decoded stays the same.

    The posterior's variances (d,), which were ``variances`` on average, become the same for all samples.
    """
    inverse = torch.linalg.inv(matrix)
    first, last, d = network.decoder[0], network.encoder[-1], len(mean)
    first.bias += first.weight @ mean
    first.weight.copy_(first.weight @ matrix)
    last.bias[:d] = inverse @ (last.bias[:d] - mean)
    last.weight[:d] = inverse @ last.weight[:d]
    network.start_posterior(inverse.square() @ variances)
