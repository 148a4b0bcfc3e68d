"""Models that are an affine map of their own in every domain."""

import numpy as np
import torch
from torch import nn

from pdgmm.models.network_model import CodingNetwork, NetworkModel


class PerDomainAffine(CodingNetwork):
    """``encode(x, u) = weight_u x + offset_u``: ``weight`` (domains, latents, x_dim), ``offset`` (domains, latents).

    A code does not say its domain: ``decode`` goes back through the first domain's map.
    """

    sees = ("u",)

    def __init__(self, domains: int, latents: int, x_dim: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(domains, latents, x_dim))
        self.offset = nn.Parameter(torch.zeros(domains, latents))

    def encode(self, x: torch.Tensor, u: torch.Tensor) -> torch.Tensor:
        return torch.einsum("tij,tj->ti", self.weight[u], x) + self.offset[u]

    def decode(self, code: torch.Tensor) -> torch.Tensor:
        return (code - self.offset[0]) @ torch.linalg.pinv(self.weight[0]).T


def per_domain_model(weight: np.ndarray, offset: np.ndarray) -> NetworkModel:
    """The model with these arrays."""
    domains, latents, x_dim = weight.shape
    model = NetworkModel(PerDomainAffine, domains=domains, latents=latents, x_dim=x_dim)
    arrays = {"weight": weight, "offset": offset}
    model.network.load_state_dict({name: torch.tensor(array).float() for name, array in arrays.items()})
    return model
