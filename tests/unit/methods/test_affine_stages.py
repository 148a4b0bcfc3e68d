import numpy as np
import pytest
import torch

from pdgmm.fitting.run import Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods.sparse_affine.lagrangian import Lagrangian
from pdgmm.methods.sparse_affine.sparse_affine_training import AffineAutoencoder
from pdgmm.methods.sparse_affine.unconstrained import Unconstrained

FAST = {"widths": [4, 4], "steps": 400, "batch_size": 200, "learning_rate": 3e-3}


def test_the_defaults_are_the_papers():
    stage = Lagrangian()
    assert stage.widths == [10, 50, 50, 50, 50, 10]
    assert (stage.learning_rate, stage.dual_learning_rate) == (1e-4, 5e-5)
    assert (stage.batch_size, stage.steps, stage.sparsity) == (6144, 80_000, 0.01)
    assert stage.learned_scale
    assert stage.extragradient


@pytest.mark.parametrize("hidden", [[], [9], [9, 12, 7]])
@pytest.mark.parametrize("n_latents", [2, 4])
def test_the_collapsed_encoder_is_the_network(hidden, n_latents):
    torch.manual_seed(0)
    model = AffineAutoencoder(4, hidden, n_latents, learned_scale=True)
    with torch.no_grad():
        model.input_scale.fill_(0.3)
        model.normalise.weight.uniform_(0.5, 2)
        model.normalise.bias.uniform_(-1, 1)
    for _ in range(50):
        model.train()(3 * torch.randn(100, 4) + 1)
    x = torch.randn(30, 4)
    expected, _ = model.train(False)(x)  # the codes, with the running statistics
    np.testing.assert_allclose(
        model.collapsed().encode(x.numpy()), expected.detach().numpy(), rtol=1e-4, atol=1e-5
    )


@pytest.mark.parametrize("extragradient", [True, False])
def test_the_constraint_is_approached_and_met(data, sparse_x, extragradient):
    run = Run(seed=0)
    stage = Lagrangian(sparsity=0.1, dual_learning_rate=0.05, extragradient=extragradient, **FAST)
    code = stage.fit(data, run).encode(sparse_x)
    assert run.history[0]["mean_abs"] > 0.5
    assert np.abs(code).mean() < 0.15
    assert max(row["multiplier"] for row in run.history) > 0.1
    assert isinstance(run.notes["constraint_met"], bool)


def test_a_constraint_that_is_not_met_is_noted(data):
    run = Run(seed=0)
    Lagrangian(**FAST | {"steps": 3}).fit(data, run)
    assert run.notes["constraint_met"] is False


def test_without_the_constraint_the_code_is_not_shrunk(data, sparse_x):
    run = Run(seed=0)
    code = Unconstrained(**FAST).fit(data, run).encode(sparse_x)
    assert np.abs(code).mean() > 0.5
    assert run.history[-1]["loss"] < 0.05 * sparse_x.var()


def test_a_fixed_scale_keeps_unit_variance(data, sparse_x):
    code = (
        Lagrangian(learned_scale=False, dual_learning_rate=0.05, **FAST)
        .fit(data, Run(seed=0))
        .encode(sparse_x)
    )
    np.testing.assert_allclose(code.std(axis=0), 1, atol=0.15)


@pytest.mark.parametrize("stage", [Lagrangian, Unconstrained])
def test_a_standardised_input_makes_its_scale_irrelevant(stage, sparse_x):
    fast = FAST | {"steps": 50}
    codes = [
        stage(standardise=True, **fast)
        .fit(Samples(scale * sparse_x, 4), Run(seed=0))
        .encode(scale * sparse_x)
        for scale in (1, 2**-10)
    ]
    np.testing.assert_allclose(*codes, rtol=1e-3, atol=1e-4)


def test_the_first_step_of_both_stages_is_the_same_but_for_the_constraint(data):
    rows = []
    for stage in (Lagrangian(**FAST | {"steps": 1}), Unconstrained(**FAST | {"steps": 1})):
        run = Run(seed=0)
        stage.fit(data, run)
        rows.append(run.history[0])
    assert rows[0]["loss"] == rows[1]["loss"]
    assert rows[0]["mean_abs"] == rows[1]["mean_abs"]
    assert rows[0]["multiplier"] == 0
