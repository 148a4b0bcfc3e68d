"""Our version of diverse dictionary learning: its networks against automatic differentiation, and a whole fit."""

import numpy as np
import pytest
import torch

from pdgmm.data.dependency import Dependency
from pdgmm.evaluation.mcc import mcc
from pdgmm.fitting.run import Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods.ddl.ddl import Ddl
from pdgmm.methods.ddl.ddl_fitting import (
    minus_log_likelihood,
    scaled_jacobian,
    turn_to_sparsest,
)
from pdgmm.methods.ddl.penalties import log_sum
from pdgmm.methods.ddl.sparse_inverse import SideBySide
from pdgmm.models.model_files import FittedModel, load_model, save_model


@pytest.fixture
def networks():
    torch.manual_seed(0)
    networks = SideBySide(2, 3, [8, 5]).double()
    with torch.no_grad():
        networks.weights[-1].mul_(300)
    return networks


def test_derivatives_are_those_of_the_codes(networks):
    y = torch.randn(6, 3, dtype=torch.float64)
    codes, derivatives = networks(y)
    for number in range(2):
        one = torch.func.vmap(torch.func.jacrev(lambda row, k=number: networks(row[None])[0][k, 0]))(y)
        torch.testing.assert_close(derivatives[number], one)
        log_det = torch.linalg.det(one).abs().log()
        expected = (codes[number].square().sum(dim=1) / 2 - log_det).mean()
        torch.testing.assert_close(minus_log_likelihood(codes, derivatives)[number], expected)


def test_the_jacobian_is_in_standard_deviations_of_the_codes(networks):
    y, back = torch.randn(50, 3, dtype=torch.float64), torch.randn(4, 3, dtype=torch.float64)
    codes, derivatives = networks(y)
    before = scaled_jacobian(codes, derivatives, back)
    of_x = back @ torch.linalg.inv(derivatives[1])
    expected = of_x.square().mean(dim=0).sqrt() * codes[1].std(dim=0)
    torch.testing.assert_close(before[1], expected, atol=1e-4, rtol=1e-4)
    networks.turn(1, torch.diag(torch.tensor([0.1, 2.0, 7.0])).double())
    torch.testing.assert_close(scaled_jacobian(*networks(y), back), before, atol=1e-3, rtol=1e-3)


def test_a_turn_whitens_the_codes_and_makes_the_jacobian_sparser(networks):
    y, back = torch.randn(300, 3, dtype=torch.float64), torch.eye(3).double()
    networks.turn(0, torch.linalg.qr(torch.randn(3, 3)).Q.double())
    before = log_sum(scaled_jacobian(*networks(y), back))
    turn_to_sparsest(networks, y, back, 10, np.random.default_rng(0))
    codes, derivatives = networks(y)
    for number in range(2):
        torch.testing.assert_close(torch.cov(codes[number].T), torch.eye(3).double(), atol=1e-6, rtol=0)
    assert (log_sum(scaled_jacobian(codes, derivatives, back)) < before).all()


@pytest.fixture(scope="module")
def fitted():
    world = Dependency(n=3, latents="laplace").build(101)
    sample = world.sample("train", 4000, np.random.default_rng(0))
    run = Run(seed=100)
    settings = Ddl(steps=400, units=[24], restarts=3, weight=0.03)
    return settings.fit(Samples(sample["x"], 3), run), run, sample


def test_latents_of_a_sparse_support_are_found(fitted):
    fit, run, sample = fitted
    found, raw = (mcc(sample["z"], code).mcc for code in (fit.model.encode(sample["x"]), sample["x"]))
    assert found > max(0.9, raw)
    assert fit.claims["jacobian"].shape == (3, 3)
    assert len(run.notes["objectives"]) == 3


def test_codes_are_decoded_also_after_a_reload(fitted, tmp_path):
    fit, run, sample = fitted
    x = sample["x"][:500]
    save_model(tmp_path, FittedModel(fit.model, None, run.notes))
    restored = load_model(tmp_path).usable()
    code = fit.model.encode(x)
    np.testing.assert_array_equal(restored.encode(x), code)
    errors = np.abs(restored.decode(code) - x).max(axis=1)
    assert np.quantile(errors, 0.99) < 1e-3


def test_more_columns_than_latents():
    rng = np.random.default_rng(0)
    z = rng.normal(size=(1000, 2))
    x = (np.sinh(z) @ rng.normal(size=(2, 6))).astype(np.float32)
    fit = Ddl(steps=60, units=[8], restarts=2).fit(Samples(x, 2), Run(seed=100))
    assert fit.claims["jacobian"].shape == (6, 2)
    np.testing.assert_allclose(fit.model.decode(fit.model.encode(x[:100])), x[:100], atol=1e-2, rtol=1e-2)
