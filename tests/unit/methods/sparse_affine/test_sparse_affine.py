import copy

import cooper
import numpy as np
import pytest
import torch

from pdgmm.data.masked_scm import MaskedScm
from pdgmm.evaluation.mcc import mcc
from pdgmm.fitting.run import Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods.fastica import FastICA
from pdgmm.methods.sparse_affine.sparse_affine import Lagrangian, Unconstrained
from pdgmm.methods.sparse_affine.sparse_affine_training import AffineAutoencoder, AffineLearner

FAST = {"widths": [4, 4], "steps": 400, "batch_size": 200, "learning_rate": 3e-3}


def coded(method, x, run=None):
    return method.fit(Samples(x, 4), run or Run(seed=0)).model.encode(x)


@pytest.mark.parametrize(("hidden", "n_latents"), [([], 4), ([9], 2), ([9, 12, 7], 4)])
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
    expected = model.train(False)(x)[0].detach()  # the codes, with the running statistics
    np.testing.assert_allclose(model.collapsed().encode(x.numpy()), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("extragradient", [True, False])
def test_the_constraint_is_approached_and_met(sparse_x, extragradient):
    run = Run(seed=0)
    method = Lagrangian(sparsity=0.1, dual_learning_rate=0.05, extragradient=extragradient, **FAST)
    assert np.abs(coded(method, sparse_x, run)).mean() < 0.15
    assert run.history[0]["mean_abs"] > 0.5
    assert max(row["multiplier"] for row in run.history) > 0.1
    assert isinstance(run.notes["constraint_met"], bool)


def test_a_constraint_that_is_not_met_is_noted(data):
    run = Run(seed=0)
    Lagrangian(**FAST | {"steps": 3}).fit(data, run)
    assert run.notes["constraint_met"] is False


def test_without_the_constraint_the_code_is_not_shrunk(sparse_x):
    run = Run(seed=0)
    assert np.abs(coded(Unconstrained(**FAST), sparse_x, run)).mean() > 0.5
    assert run.history[-1]["loss"] < 0.05 * sparse_x.var()


def test_a_fixed_scale_keeps_unit_variance(sparse_x):
    code = coded(Lagrangian(learned_scale=False, dual_learning_rate=0.05, **FAST), sparse_x)
    np.testing.assert_allclose(code.std(axis=0), 1, atol=0.15)


@pytest.mark.parametrize("kind", [Lagrangian, Unconstrained])
def test_a_standardised_input_makes_its_scale_irrelevant(kind, sparse_x):
    method = kind(standardise=True, **FAST | {"steps": 50})
    codes = [coded(method, np.float32(scale) * sparse_x) for scale in (1, 2**-10)]
    np.testing.assert_allclose(*codes, rtol=1e-3, atol=1e-4)


def test_the_first_step_of_both_is_the_same_but_for_the_constraint(data):
    rows = []
    for kind in (Lagrangian, Unconstrained):
        run = Run(seed=0)
        kind(**FAST | {"steps": 1}).fit(data, run)
        rows.append(run.history[0])
    assert rows[0] == rows[1] | {"multiplier": 0}


class CoopersProblem(cooper.ConstrainedMinimizationProblem):
    """The same problem for cooper, an independent program for constrained optimisation, with autograd's gradients."""

    def __init__(self, model, level):
        super().__init__()
        self.model, self.level = model, level
        multiplier = cooper.multipliers.DenseMultiplier(num_constraints=1)
        self.sparsity = cooper.Constraint(
            constraint_type=cooper.ConstraintType.INEQUALITY, multiplier=multiplier
        )

    def compute_cmp_state(self, x):
        code, error = self.model(x)
        violation = code.abs().mean() - self.level
        return cooper.CMPState(error, {self.sparsity: cooper.ConstraintState(violation=violation)})


@pytest.mark.parametrize("extragradient", [True, False])
def test_steps_are_those_of_cooper(extragradient):
    torch.manual_seed(0)
    # A level that is first violated, then met: the multiplier rises and falls back to 0.
    settings = Lagrangian(
        sparsity=0.7, learning_rate=0.01, dual_learning_rate=0.05, extragradient=extragradient
    )
    model = AffineAutoencoder(4, [9, 7], 3, learned_scale=True).double().train()
    other = copy.deepcopy(model)
    learner, problem = AffineLearner(model, settings), CoopersProblem(other, settings.sparsity)
    adam = cooper.optim.ExtraAdam if extragradient else torch.optim.Adam
    schemes = cooper.optim.SimultaneousOptimizer, cooper.optim.ExtrapolationConstrainedOptimizer
    scheme = schemes[extragradient](
        problem,
        adam(other.parameters(), settings.learning_rate),
        adam(problem.dual_parameters(), settings.dual_learning_rate, maximize=True),
    )
    multipliers = []
    for _ in range(40):
        x = torch.randn(50, 4, dtype=torch.float64)
        multipliers.append(float(learner.step({"x": x})["multiplier"]))
        rolled = scheme.roll(compute_cmp_state_kwargs={"x": x})
        (theirs,) = rolled.dual_lagrangian_store.observed_multiplier_values()
        assert multipliers[-1] == pytest.approx(float(theirs.detach()), rel=1e-4, abs=1e-6)
    assert max(multipliers) > 0.2
    assert multipliers[-1] < max(multipliers)
    # cooper's ExtraAdam adds its epsilon at another place, so the paths differ a little.
    np.testing.assert_allclose(model.collapsed().weight, other.collapsed().weight, atol=2e-3)


@pytest.mark.slow
def test_the_shorter_training_of_the_papers_size_finds_the_latents():
    world = MaskedScm(n=5, m=3).build(seed=100)
    data = world.sample("train", 20_000, np.random.default_rng(0))
    fitted = Lagrangian(**Lagrangian.stand_in).fit(Samples(data["x"], 5), Run(seed=0))
    rival = FastICA().fit(Samples(data["x"], 5), Run(seed=0))
    found, known = (mcc(data["z"], fit.model.encode(data["x"])).mcc for fit in (fitted, rival))
    assert found >= known - 0.03
