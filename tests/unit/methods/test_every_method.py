"""What holds for every stage of the catalogue, on tiny data."""

import logging
import subprocess
import sys
from itertools import islice

import numpy as np
import pytest

from pdgmm.errors import FitFailed
from pdgmm.fitting import samples as observations
from pdgmm.fitting import training_loop as training
from pdgmm.fitting.run import Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods import STAGE1, STAGE2
from pdgmm.methods.autoencoder import Autoencoder
from pdgmm.methods.fastica import FastICA
from pdgmm.methods.identity import Identity
from pdgmm.methods.sparse_affine.lagrangian import Lagrangian
from pdgmm.methods.sparse_affine.unconstrained import Unconstrained
from pdgmm.models.affine_model import AffineModel
from pdgmm.models.model_files import FittedModel, load_model, save_model
from pdgmm.store import hdf5

SMALL = {"widths": [2, 2], "steps": 40, "batch_size": 64, "learning_rate": 1e-3}
TRAINED = {
    "autoencoder": Autoencoder(**SMALL),
    "lagrangian": Lagrangian(**SMALL),
    "lagrangian, simultaneous": Lagrangian(extragradient=False, **SMALL),
    "unconstrained": Unconstrained(**SMALL),
    "unconstrained, fixed scale": Unconstrained(learned_scale=False, schedule="cosine", **SMALL),
}
EVERY = {"identity": Identity(), "fastica": FastICA(), **TRAINED}

every_stage = pytest.mark.parametrize("stage", EVERY.values(), ids=EVERY.keys())
every_trained_stage = pytest.mark.parametrize("stage", TRAINED.values(), ids=TRAINED.keys())


class Crash(Exception):
    """Stands for a kill."""


@every_stage
def test_shape_type_and_determinism(stage, data, sparse_x):
    codes = [stage.fit(data, Run(seed=3)).encode(sparse_x) for _ in range(2)]
    assert codes[0].shape == (600, 4)
    assert codes[0].dtype == np.float32
    assert np.isfinite(codes[0]).all()
    np.testing.assert_array_equal(*codes)


@every_trained_stage
def test_another_seed_gives_another_code(stage, data, sparse_x):
    one, other = (stage.fit(data, Run(seed=seed)).encode(sparse_x) for seed in (0, 1))
    assert not np.allclose(one, other)


@every_stage
def test_saved_and_restored_it_encodes_the_same_bits(stage, data, sparse_x, tmp_path):
    run = Run(seed=0)
    encoder = stage.fit(data, run)
    save_model(tmp_path, FittedModel(encoder, None, run.notes))
    np.testing.assert_array_equal(load_model(tmp_path).usable().encode(sparse_x), encoder.encode(sparse_x))


@every_stage
@pytest.mark.parametrize("streamed", [False, True])
def test_a_file_that_holds_nothing_but_x_is_enough(stage, sparse_x, tmp_path, monkeypatch, streamed):
    if streamed:
        monkeypatch.setattr(observations, "IN_MEMORY_BYTES", 0)
    with hdf5.create(tmp_path / "d.h5", "dataset", {}) as file:
        hdf5.put(file, "train/x", sparse_x)
    code = stage.fit(Samples.from_file(tmp_path / "d.h5", 4), Run(seed=0)).encode(sparse_x)
    assert code.shape == (600, 4)


@every_trained_stage
def test_more_observed_dimensions_than_latents(stage, sparse_x):
    data = Samples(sparse_x, 3)
    assert stage.fit(data, Run(seed=0)).encode(sparse_x).shape == (600, 3)


@every_trained_stage
def test_history_and_notes(stage, data):
    run = Run(seed=0)
    stage.fit(data, run)
    assert [run.history[0]["step"], run.history[-1]["step"]] == [1, 40]
    assert run.history[-1]["loss"] < run.history[0]["loss"]
    assert run.notes["last_step"]["loss"] == run.history[-1]["loss"]


@every_trained_stage
def test_a_killed_fit_resumes_to_the_same_bits(stage, data, sparse_x, tmp_path, monkeypatch):
    expected_run = Run(seed=0)
    expected = stage.fit(data, expected_run).encode(sparse_x)
    monkeypatch.setenv(training.CHECKPOINT_EVERY_STEPS, "8")

    def killed(*arguments, **options):
        yield from islice(batches(*arguments, **options), 29)
        raise Crash

    batches = training.tensor_batches
    monkeypatch.setattr(training, "tensor_batches", killed)
    with pytest.raises(Crash):
        stage.fit(data, Run(seed=0, checkpoint=tmp_path / "c", checkpoint_key="k"))
    monkeypatch.setattr(training, "tensor_batches", batches)
    assert (tmp_path / "c").exists()
    run = Run(seed=0, checkpoint=tmp_path / "c", checkpoint_key="k")
    np.testing.assert_array_equal(stage.fit(data, run).encode(sparse_x), expected)
    assert run.history == expected_run.history


@every_trained_stage
def test_a_damaged_checkpoint_is_ignored(stage, data, sparse_x, tmp_path, caplog):
    (tmp_path / "c").write_bytes(b"no checkpoint")
    with caplog.at_level(logging.WARNING):
        code = stage.fit(data, Run(seed=0, checkpoint=tmp_path / "c")).encode(sparse_x)
    assert "damaged" in caplog.text
    np.testing.assert_array_equal(code, stage.fit(data, Run(seed=0)).encode(sparse_x))


@every_trained_stage
def test_divergence_is_a_recorded_failure(stage, data):
    wild = stage.model_copy(update={"learning_rate": 1e12})
    with pytest.raises(FitFailed) as raised:
        wild.fit(data, Run(seed=0))
    assert raised.value.status == "diverged"


@every_trained_stage
def test_gradient_clipping_changes_the_path(stage, data, sparse_x):
    # Adam does not see the length of a gradient that is always cut, but it sees one that is cut at times.
    clipped = stage.model_copy(update={"gradient_clip": 1e-2})
    assert not np.array_equal(
        clipped.fit(data, Run(seed=0)).encode(sparse_x), stage.fit(data, Run(seed=0)).encode(sparse_x)
    )


@every_trained_stage
def test_the_size_says_steps_batch_and_widths(stage):
    assert stage.size() == "40 steps of 64, widths 2-2 n"


def test_a_stage_2_on_the_codes_of_a_stage_1(data, sparse_x, tmp_path):
    first = EVERY["autoencoder"].fit(data, Run(seed=0))
    with hdf5.create(tmp_path / "d.h5", "dataset", {}) as file:
        hdf5.put(file, "train/x", sparse_x)
    codes = Samples.from_file(tmp_path / "d.h5", 4, encoder=first)
    second = EVERY["lagrangian"].fit(codes, Run(seed=0))
    assert isinstance(second, AffineModel)
    assert second.encode(first.encode(sparse_x)).shape == (600, 4)


@pytest.mark.parametrize(
    "stage", [Autoencoder, Lagrangian, Unconstrained, FastICA], ids=lambda stage: stage.__name__
)
def test_every_setting_is_described(stage):
    assert all(field.description for field in stage.model_fields.values())


def test_the_settings_can_be_read_without_torch_and_scikit_learn():
    modules = {target.split(":")[0] for target in [*STAGE1.values(), *STAGE2.values()]}
    mine = modules & {type(stage).__module__ for stage in EVERY.values()}
    program = (
        f"import sys; [__import__(name) for name in {sorted(mine)!r}]; "
        "print(sorted({'torch', 'sklearn', 'cooper'} & set(sys.modules)))"
    )
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"
