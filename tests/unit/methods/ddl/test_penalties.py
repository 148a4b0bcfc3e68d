"""Penalties on decoders against their definitions."""

import math

import pytest
import torch
from torch import nn

from pdgmm.fitting.networks import leaky_mlp
from pdgmm.methods.ddl.penalties import (
    column_products,
    log_sum,
    mean_absolute,
    scaled_jacobian,
    second_differences,
)


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(0)


def jacobians(decoder, z):
    return torch.func.vmap(torch.func.jacrev(lambda one: decoder(one[None])[0]))(z)


def test_penalties_of_the_jacobian():
    decoder, z = leaky_mlp([3, 6, 4], 0.2).double(), torch.randn(50, 3, dtype=torch.float64)
    found = jacobians(decoder, z)
    torch.testing.assert_close(mean_absolute(decoder, z), found.abs().sum() / 50)
    products = sum(
        (found[:, :, j] * found[:, :, k]).sum(dim=1).square().mean()
        for j in range(3)
        for k in range(3)
        if j != k
    )
    torch.testing.assert_close(column_products(decoder, z), products)
    scaled = found.square().mean(dim=0).sqrt() * z.std(dim=0)
    torch.testing.assert_close(scaled_jacobian(decoder, z), scaled, atol=1e-4, rtol=0)


def test_the_scaled_jacobian_does_not_depend_on_the_scale_of_the_codes():
    decoder, z = leaky_mlp([3, 6, 4], 0.2).double(), torch.randn(50, 3, dtype=torch.float64)
    before = scaled_jacobian(decoder, z)
    scales = torch.tensor([0.1, 2.0, 7.0], dtype=torch.float64)
    with torch.no_grad():
        decoder[0].weight /= scales
    torch.testing.assert_close(scaled_jacobian(decoder, z * scales), before, atol=1e-6, rtol=1e-4)


class Quadratic(nn.Module):
    """``x = z^T H z / 2``."""

    def __init__(self, hessian):
        super().__init__()
        self.hessian = hessian

    def forward(self, z):
        return 0.5 * torch.einsum("...i,ij,...j->...", z, self.hessian, z)[..., None]


def test_the_hessian_penalty_is_about_the_entries_off_the_diagonal():
    hessian = torch.tensor([[3.0, 0.5, 0.0], [0.5, -2.0, 1.0], [0.0, 1.0, 4.0]])
    values = [float(second_differences(Quadratic(hessian), torch.randn(1, 3))) for _ in range(1500)]
    expected = 2 * float(hessian.square().sum() - hessian.diagonal().square().sum())
    assert sum(values) / len(values) == pytest.approx(expected, rel=0.1)
    diagonal = torch.diag(hessian.diagonal())
    assert float(second_differences(Quadratic(diagonal), torch.randn(20, 3))) < 1e-2


def test_the_log_sum_prefers_few_large_entries():
    spread, sparse = torch.full((2, 2), math.sqrt(0.5)), torch.eye(2)
    assert float(log_sum(sparse)) < float(log_sum(spread))
    assert log_sum(torch.rand(5, 3, 2)).shape == (5,)
