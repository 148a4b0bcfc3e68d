"""The two VaDE methods as a whole."""

import logging

import numpy as np
import pytest
import torch
from scipy.optimize import linear_sum_assignment

from pdgmm.errors import UserError
from pdgmm.fitting import training_loop
from pdgmm.fitting.run import Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods.vade import vade_fitting
from pdgmm.methods.vade.vade import Vade, VadeAsPublished

TINY = {"hidden_units": [8, 8], "batch_size": 64, "components": 6, "learning_rate": 1e-3}
VADE = Vade(pretraining_steps=16, steps=24, **TINY)


def fitted(method, x, n_latents=4, run=None):
    return method.fit(Samples(x, n_latents), run or Run(seed=0)).model


@pytest.mark.parametrize("hidden_units", [[], [8, 8]])
def test_raw_samples_are_encoded_to_posterior_means_and_decoded(hidden_units, sparse_x):
    x = 3 * sparse_x + np.float32(1)  # so that standardising changes something
    settings = TINY | {"hidden_units": hidden_units, "learning_rate": 1e-2, "batch_size": 256}
    model = fitted(Vade(pretraining_steps=400, steps=200, **settings), x)
    network = model.network
    with torch.no_grad():
        mean, _ = network.posterior(torch.from_numpy((x - x.mean(0)) / x.std(0)))
    code = model.encode(x)
    np.testing.assert_allclose(code, mean, rtol=1e-3, atol=1e-4)
    assert np.square(model.decode(code) - x).mean() < 0.1 * x.var()


def test_both_phases_lower_their_loss(sparse_x):
    run = Run(seed=0)
    fitted(Vade(pretraining_steps=100, steps=200, **TINY | {"learning_rate": 5e-3}), sparse_x, run=run)
    pretraining = [row["loss"] for row in run.history if "divergence" not in row]
    bound = [row["loss"] for row in run.history if "divergence" in row]
    assert pretraining[-1] < pretraining[0] / 2
    assert bound[-1] < bound[0] - 1
    assert run.notes["components"] == 6
    assert 1 <= run.notes["last_step"]["components_per_sample"] <= 6


def test_the_mixture_is_started_once_and_not_again_after_a_resume(data, tmp_path, monkeypatch, caplog):
    calls = []
    start = vade_fitting.start_mixture

    def counted(model, x, **options):
        calls.append(len(x))
        start(model, x, **options)

    monkeypatch.setattr(vade_fitting, "start_mixture", counted)
    monkeypatch.setenv(training_loop.CHECKPOINT_EVERY_STEPS, "20")
    method = VADE.model_copy(update={"mixture_samples": 200})
    method.fit(data, Run(seed=0, checkpoint=tmp_path / "c"))
    assert calls == [200]
    with caplog.at_level(logging.INFO):
        method.fit(data, Run(seed=0, checkpoint=tmp_path / "c"))  # goes on from step 20 of 40
    assert "resuming" in caplog.text
    assert calls == [200]


def test_there_are_five_components_a_latent_and_fewer_samples_are_a_user_error(sparse_x):
    assert Vade().components_for(10) == 50
    with pytest.raises(UserError, match="20 components from 15 samples"):
        fitted(Vade(), sparse_x[:15])


def test_a_constant_coordinate_is_harmless(sparse_x):
    x = np.column_stack([sparse_x, np.full(len(sparse_x), 7, np.float32)])
    assert np.isfinite(fitted(VADE, x).encode(x)).all()


def test_the_scale_of_a_standardised_input_is_irrelevant(sparse_x):
    scaled = [np.float32(scale) * sparse_x for scale in (1, 2**-10)]
    np.testing.assert_allclose(*(fitted(VADE, x).encode(x) for x in scaled), rtol=1e-3, atol=1e-4)


def test_the_published_decoder_cannot_reach_below_zero(sparse_x):
    model = fitted(VadeAsPublished(steps=60, **TINY | {"learning_rate": 1e-2}), sparse_x)
    decoded = model.decode(model.encode(sparse_x))
    assert sparse_x.min() < 0 < decoded.min()
    assert decoded.max() < 1


def separated_mixture():
    """Components (4000,) of four clusters in the plane, and their standardised piecewise affine image (4000, 3)."""
    rng = np.random.default_rng(0)
    component = rng.integers(4, size=4000)
    means = 4 * np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    z = means[component] + rng.normal(size=(4000, 2)) * rng.uniform(0.3, 1, size=(4, 2))[component]
    first, second = rng.normal(size=(2, 3)), rng.normal(size=(3, 3))
    h = z @ first
    x = np.maximum(0.5 * h, h) @ second
    return component, ((x - x.mean(axis=0)) / x.std(axis=0)).astype(np.float32)


@pytest.mark.parametrize(
    ("method", "steps", "finds_them"),
    [(Vade, {"pretraining_steps": 200, "steps": 300}, True), (VadeAsPublished, {"steps": 500}, False)],
)
def test_only_the_pretrained_one_recovers_the_clusters_of_a_separated_mixture(method, steps, finds_them):
    component, x = separated_mixture()
    run = Run(seed=0)
    settings = {"components": 4, "hidden_units": [32, 32], "learning_rate": 3e-3, "batch_size": 200}
    model = fitted(method(**steps, **settings), x, 2, run)
    with torch.no_grad():
        found = model.network.prior.log_responsibilities(torch.from_numpy(model.encode(x))).argmax(dim=1)
    counts = np.zeros((4, 4))
    np.add.at(counts, (component, found.numpy()), 1)
    accuracy = counts[linear_sum_assignment(-counts)].sum() / len(x)
    ambiguity = run.notes["last_step"]["components_per_sample"]
    assert (accuracy > 0.95 and ambiguity < 1.2) if finds_them else (accuracy < 0.6 and ambiguity > 2.5)
