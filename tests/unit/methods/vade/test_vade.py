"""The two VaDE stages as a whole; the bound itself is tested in tests/unit/vade."""

import logging

import numpy as np
import pytest
import torch
from scipy.optimize import linear_sum_assignment

from pdgmm.errors import FitFailed, UserError
from pdgmm.fitting import samples as observations
from pdgmm.fitting import training_loop as training
from pdgmm.fitting.run import Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods import STAGE2, stage_class
from pdgmm.methods.vade.elbo import log_responsibilities
from pdgmm.methods.vade.vade import Vade
from pdgmm.methods.vade.vade_as_published import VadeAsPublished
from pdgmm.methods.vade.vade_fitting import trained_model
from pdgmm.methods.vade.vade_learner import VadeLearner
from pdgmm.models.model_files import FittedModel, load_model, save_model
from pdgmm.models.network_model import NetworkModel
from pdgmm.store import hdf5

TINY = {"hidden_units": [8, 8], "batch_size": 64, "components": 6, "learning_rate": 1e-3}
STAGES = {
    "vade": Vade(pretraining_steps=16, steps=24, **TINY),
    "vade without pretraining": Vade(pretraining_steps=0, steps=40, **TINY),
    "vade_as_published": VadeAsPublished(steps=40, **TINY),
}
both_stages = pytest.mark.parametrize("stage", STAGES.values(), ids=STAGES.keys())


class Crash(Exception):
    """Stands for a kill."""


def test_the_catalogue_names_both():
    assert stage_class(STAGE2, "vade") is Vade
    assert stage_class(STAGE2, "vade_as_published") is VadeAsPublished


def test_the_defaults_of_the_published_one_are_the_papers():
    stage = VadeAsPublished()
    assert stage.hidden_units == [512, 512, 2048]
    assert (stage.learning_rate, stage.steps, stage.pretraining_steps) == (1e-4, 5001, 0)
    assert (stage.slope, stage.decoder_output, stage.standardise) == (0, "sigmoid", False)
    assert stage.components_for(10) == 50


@both_stages
def test_shape_type_determinism_and_seed(stage, data, sparse_x):
    codes = [stage.fit(data, Run(seed=seed)).encode(sparse_x) for seed in (3, 3, 4)]
    assert codes[0].shape == (600, 4)
    assert codes[0].dtype == np.float32
    np.testing.assert_array_equal(codes[0], codes[1])
    assert not np.allclose(codes[0], codes[2])


@both_stages
def test_the_encoder_gives_the_posterior_means(stage, sparse_x):
    x = 3 * sparse_x + np.float32(1)  # so that standardising changes something
    data = Samples(x, 3)
    model = trained_model(stage, data, Run(seed=0), torch.device("cpu"))
    encoder = stage.fit(data, Run(seed=0))
    with torch.no_grad():
        mean, _ = model.posterior(model.standardised(torch.from_numpy(x)))
    assert isinstance(encoder, NetworkModel)
    np.testing.assert_allclose(encoder.encode(x), mean, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("hidden_units", [[], [8, 8]])
def test_the_encoder_decodes_to_raw_samples(hidden_units, sparse_x):
    x = 3 * sparse_x + np.float32(1)
    data = Samples(x, 4)
    stage = Vade(
        pretraining_steps=400, steps=200, components=6, hidden_units=hidden_units, learning_rate=1e-2
    )
    encoder = stage.fit(data, Run(seed=0))
    error = np.square(encoder.decode(encoder.encode(x)) - x).mean()
    assert error < 0.1 * x.var()


@both_stages
def test_saved_and_restored_it_encodes_the_same_bits(stage, data, sparse_x, tmp_path):
    run = Run(seed=0)
    encoder = stage.fit(data, run)
    save_model(tmp_path, FittedModel(encoder, None, run.notes))
    np.testing.assert_array_equal(load_model(tmp_path).usable().encode(sparse_x), encoder.encode(sparse_x))


@both_stages
def test_a_streamed_file_that_holds_nothing_but_x_is_enough(stage, sparse_x, tmp_path, monkeypatch):
    monkeypatch.setattr(observations, "IN_MEMORY_BYTES", 0)
    with hdf5.create(tmp_path / "d.h5", "dataset", {}) as file:
        hdf5.put(file, "train/x", sparse_x)
    code = stage.fit(Samples.from_file(tmp_path / "d.h5", 4), Run(seed=0)).encode(sparse_x)
    assert code.shape == (600, 4)


@both_stages
def test_history_and_notes(stage, data):
    run = Run(seed=0)
    stage.fit(data, run)
    assert [run.history[0]["step"], run.history[-1]["step"]] == [1, 40]
    assert run.notes["last_step"]["loss"] == run.history[-1]["loss"]
    assert run.notes["components"] == 6
    assert 1 <= run.notes["last_step"]["components_per_sample"] <= 6


def test_both_phases_lower_their_loss(data):
    run = Run(seed=0)
    Vade(pretraining_steps=100, steps=200, **TINY | {"learning_rate": 5e-3}).fit(data, run)
    pretraining = [row["loss"] for row in run.history if "divergence" not in row]
    bound = [row["loss"] for row in run.history if "divergence" in row]
    assert pretraining[-1] < pretraining[0] / 2
    assert bound[-1] < bound[0] - 1


@both_stages
@pytest.mark.parametrize(
    ("every", "dies_at"), [(5, 13), (16, 19), (5, 33)], ids=["in phase 1", "between", "in phase 2"]
)
def test_a_killed_fit_resumes_to_the_same_bits(stage, data, sparse_x, tmp_path, monkeypatch, every, dies_at):
    expected_run = Run(seed=0)
    expected = stage.fit(data, expected_run).encode(sparse_x)
    monkeypatch.setenv(training.CHECKPOINT_EVERY_STEPS, str(every))
    step = VadeLearner.step

    def mortal(learner, batch):
        if learner.state_dict()["step"] == dies_at:
            raise Crash
        return step(learner, batch)

    monkeypatch.setattr(VadeLearner, "step", mortal)
    with pytest.raises(Crash):
        stage.fit(data, Run(seed=0, checkpoint=tmp_path / "c", checkpoint_key="k"))
    monkeypatch.setattr(VadeLearner, "step", step)
    assert (tmp_path / "c").exists()
    run = Run(seed=0, checkpoint=tmp_path / "c", checkpoint_key="k")
    np.testing.assert_array_equal(stage.fit(data, run).encode(sparse_x), expected)
    assert run.history == expected_run.history


def test_the_mixture_is_started_once_and_not_again_after_a_resume(data, tmp_path, monkeypatch, caplog):
    from pdgmm.methods.vade import vade_fitting as fitting

    calls = []

    def counted(model, x, **options):
        calls.append(len(x))
        start(model, x, **options)

    start = fitting.start_mixture
    monkeypatch.setattr(fitting, "start_mixture", counted)
    stage = STAGES["vade"].model_copy(update={"mixture_samples": 200})
    monkeypatch.setenv(training.CHECKPOINT_EVERY_STEPS, "20")
    run = Run(seed=0, checkpoint=tmp_path / "c")
    stage.fit(data, run)
    assert calls == [200]
    with caplog.at_level(logging.INFO):
        stage.fit(data, Run(seed=0, checkpoint=tmp_path / "c"))  # goes on from step 20 of 40
    assert "resuming" in caplog.text
    assert calls == [200]


@both_stages
def test_divergence_is_a_recorded_failure(stage, data):
    wild = stage.model_copy(update={"learning_rate": 1e12})
    with pytest.raises(FitFailed) as raised:
        wild.fit(data, Run(seed=0))
    assert raised.value.status == "diverged"


def test_fewer_samples_than_components_is_a_user_error(sparse_x):
    with pytest.raises(UserError, match="20 components from 15 samples"):
        Vade().fit(Samples(sparse_x[:15], 4), Run(seed=0))


def test_a_constant_coordinate_is_harmless(sparse_x):
    x = np.column_stack([sparse_x, np.full(len(sparse_x), 7, np.float32)])
    code = STAGES["vade"].fit(Samples(x, 4), Run(seed=0)).encode(x)
    assert np.isfinite(code).all()


def test_the_scale_of_a_standardised_input_is_irrelevant(sparse_x):
    codes = [
        STAGES["vade"].fit(Samples(scale * sparse_x, 4), Run(seed=0)).encode(scale * sparse_x)
        for scale in (1, 2**-10)
    ]
    np.testing.assert_allclose(*codes, rtol=1e-3, atol=1e-4)


def test_the_size_says_steps_batch_units_and_components():
    assert STAGES["vade"].size() == "16 + 24 steps of 64, 8-8 units, 6 components"
    assert VadeAsPublished().size() == "5,001 steps of 6,144, 512-512-2048 units, 5 n components"


@pytest.mark.parametrize("stage", [Vade, VadeAsPublished])
def test_every_setting_is_described(stage):
    assert all(field.description for field in stage.model_fields.values())


def test_the_published_decoder_cannot_reach_below_zero(data, sparse_x):
    stage = VadeAsPublished(steps=60, **TINY | {"learning_rate": 1e-2})
    model = trained_model(stage, data, Run(seed=0), torch.device("cpu"))
    x = torch.from_numpy(sparse_x)
    with torch.no_grad():
        decoded = model.decode(model.posterior(model.standardised(x))[0])
    assert x.min() < 0
    assert decoded.min() > 0
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


def clustered(stage):
    """The accuracy of the most probable components under the best renaming, and the last step's metrics."""
    component, x = separated_mixture()
    run = Run(seed=0)
    model = trained_model(stage, Samples(x, 2), run, torch.device("cpu"))
    with torch.no_grad():
        code, _ = model.posterior(model.standardised(torch.from_numpy(x)))
        found = log_responsibilities(model.prior, code).argmax(dim=1).numpy()
    counts = np.zeros((4, 4))
    np.add.at(counts, (component, found), 1)
    return counts[linear_sum_assignment(-counts)].sum() / len(x), run.notes["last_step"]


FOUR_CLUSTERS = {"components": 4, "hidden_units": [32, 32], "learning_rate": 3e-3, "batch_size": 200}


def test_it_recovers_the_clusters_of_a_separated_mixture():
    accuracy, last = clustered(Vade(pretraining_steps=200, steps=300, **FOUR_CLUSTERS))
    assert accuracy > 0.95
    assert last["components_per_sample"] < 1.2


def test_the_published_recipe_does_not_tell_the_same_clusters_apart():
    accuracy, last = clustered(VadeAsPublished(steps=500, **FOUR_CLUSTERS))
    assert accuracy < 0.6
    assert last["components_per_sample"] > 2.5
