import hashlib
import io
import logging

import numpy as np
import pytest
import torch
from torch import nn

from pdgmm.errors import FitFailed
from pdgmm.fitting import training_loop
from pdgmm.fitting.checkpoints import MAGIC, load_checkpoint, save_checkpoint
from pdgmm.fitting.learners import AdamLearner
from pdgmm.fitting.run import Run
from pdgmm.fitting.samples import Samples
from pdgmm.fitting.training_loop import learning_rate_factor, train


class Crash(Exception):
    """Stands for a kill."""


class NoisyRegression(AdamLearner):
    """Draws random numbers in every step, so that a lost generator state would show; may break at a step."""

    def __init__(self, break_at=None, error=Crash, learning_rate=0.01, clip=None):
        torch.manual_seed(0)
        self.model = nn.Linear(3, 3)
        self.break_at, self.error = break_at, error
        self.batches, self.rates = [], []
        super().__init__(self.model, self.objective, learning_rate=learning_rate, gradient_clip=clip)

    def objective(self, batch):
        x = batch["x"]
        noise = 0.1 * torch.randn_like(x)
        return {"loss": (self.model(x + noise) - x).square().mean(), "noise": noise.abs().mean()}

    def step(self, batch):
        if self.break_at == len(self.batches):
            raise self.error
        self.batches.append(batch["x"].clone())
        return super().step(batch)

    def scale_learning_rate(self, factor):
        self.rates.append(factor)
        super().scale_learning_rate(factor)

    def weights(self):
        return self.model.weight.detach().clone()


@pytest.fixture
def data():
    return Samples(np.random.default_rng(0).normal(size=(100, 3)), 3)


@pytest.fixture
def often(monkeypatch):
    monkeypatch.setenv(training_loop.CHECKPOINT_EVERY_STEPS, "7")


def trained(data, learner=None, run=None, steps=50, **options):
    """The learner and its run."""
    learner, run = learner or NoisyRegression(), run or Run(seed=1)
    train(learner, data, steps=steps, batch_size=16, run=run, **options)
    return learner, run


def run_with(path):
    return Run(seed=1, checkpoint=path, checkpoint_key="key")


def crash(data, path, key="key"):
    run = Run(seed=1, checkpoint=path, checkpoint_key=key)
    with pytest.raises(Crash):
        trained(data, NoisyRegression(30), run, schedule="cosine")


def test_training_lowers_the_loss_and_keeps_a_history(data):
    run = Run(seed=0)
    last = train(NoisyRegression(), data, steps=450, batch_size=32, run=run)
    steps = [row["step"] for row in run.history]
    assert (steps[0], steps[-1]) == (1, 450)
    assert 100 <= len(steps) <= 115
    assert run.history[-1]["loss"] < run.history[0]["loss"] / 3
    assert last == {"loss": run.history[-1]["loss"], "noise": run.history[-1]["noise"]}
    assert all(isinstance(value, int | float) for row in run.history for value in row.values())


def test_the_same_seed_gives_the_same_bits_whatever_torch_was_doing(data):
    first, _ = trained(data)
    learner = NoisyRegression()
    torch.manual_seed(2)
    outside = torch.random.get_rng_state()
    trained(data, learner)
    assert torch.equal(first.weights(), learner.weights())
    assert torch.equal(torch.random.get_rng_state(), outside)


def test_a_resumed_run_ends_in_the_same_bits(data, tmp_path, often):
    expected, expected_run = trained(data, schedule="cosine")
    path = tmp_path / "folder" / "checkpoint"
    crash(data, path)
    resumed, run = trained(data, run=run_with(path), schedule="cosine")
    assert len(resumed.batches) == 50 - 28
    assert torch.equal(resumed.batches[0], expected.batches[28])
    assert torch.equal(resumed.weights(), expected.weights())
    assert run.history == expected_run.history


def foreign_code(path):
    """A checkpoint with a right checksum and a class in it."""
    buffer = io.BytesIO()
    torch.save({"key": "key", "step": Crash}, buffer)
    path.write_bytes(MAGIC + hashlib.sha256(buffer.getvalue()).digest() + buffer.getvalue())


def another_shape(path):
    saved = load_checkpoint(run_with(path))
    saved["learner"]["model"] = {"weight": torch.zeros(3, 3), "bias": torch.zeros(4)}
    del saved["key"]
    save_checkpoint(run_with(path), saved)


def flipped(path):
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2] ^= 1
    path.write_bytes(raw)


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda path: path.write_bytes(b""), "damaged"),
        (lambda path: path.write_bytes(b"x" * 500), "damaged"),
        (lambda path: path.write_bytes(path.read_bytes()[:900]), "damaged"),
        (flipped, "damaged"),
        (foreign_code, "cannot be read"),
        (another_shape, "does not fit"),
    ],
    ids=["empty", "garbage", "cut", "flipped", "foreign code", "another shape"],
)
def test_a_wrong_checkpoint_is_ignored_and_leaves_no_trace(data, tmp_path, often, caplog, damage, said):
    path = tmp_path / "checkpoint"
    crash(data, path)
    damage(path)
    learner, _ = trained(data, run=run_with(path), schedule="cosine")
    assert len(learner.batches) == 50
    assert said in caplog.text
    assert torch.equal(learner.weights(), trained(data, schedule="cosine")[0].weights())


def test_a_checkpoint_of_another_fit_is_ignored(data, tmp_path, often, caplog):
    crash(data, tmp_path / "checkpoint", key="another")
    learner, run = trained(data, run=run_with(tmp_path / "checkpoint"))
    assert len(learner.batches) == 50
    assert "another fit" in caplog.text
    assert run.history == trained(data)[1].history


def test_a_checkpoint_that_cannot_be_written_does_not_stop_the_training(data, tmp_path, often, caplog):
    (tmp_path / "file").touch()
    learner, _ = trained(data, run=run_with(tmp_path / "file" / "checkpoint"))
    assert len(learner.batches) == 50
    assert "no checkpoint was written" in caplog.text


@pytest.mark.parametrize(("seconds", "written"), [(0.0, True), (30.0, False)])
def test_checkpoints_by_time(data, tmp_path, monkeypatch, seconds, written):
    monkeypatch.setattr(training_loop, "CHECKPOINT_SECONDS", seconds)
    crash(data, tmp_path / "checkpoint")
    assert (tmp_path / "checkpoint").exists() is written


def with_bias(value):
    learner = NoisyRegression()
    learner.model.bias.data[0] = value
    return learner


class LastStepBreaks(NoisyRegression):
    def step(self, batch):
        metrics = super().step(batch)
        if len(self.batches) == 5:
            self.model.weight.data[0, 0] = float("nan")
        return metrics


@pytest.mark.parametrize(
    ("learner", "reason"),
    [
        (lambda: with_bias(float("nan")), "loss was nan at step 1"),
        (lambda: with_bias(float("inf")), "loss was inf at step 1"),
        (lambda: NoisyRegression(learning_rate=1e6), "loss rose from"),
        (LastStepBreaks, "weights were not finite after step 5"),
        (
            lambda: NoisyRegression(3, torch.linalg.LinAlgError("not positive-definite")),
            "step 4: not positive",
        ),
    ],
)
def test_divergence_is_a_recorded_failure(data, learner, reason):
    with pytest.raises(FitFailed, match=f"diverged: {reason}"):
        trained(data, learner(), steps=5)


def test_schedules():
    def factors(schedule, warmup=0):
        return [learning_rate_factor(t, steps=10, schedule=schedule, warmup_steps=warmup) for t in range(10)]

    assert factors("constant") == [1.0] * 10
    assert factors("constant", warmup=3)[:4] == [0.25, 0.5, 0.75, 1.0]
    assert factors("linear")[::5] == [1.0, 0.5]
    cosine = factors("cosine", warmup=2)
    assert cosine[2] == 1.0
    assert cosine[2:] == sorted(cosine[2:], reverse=True)
    assert 0 < cosine[-1] < 0.1
    assert factors("linear", warmup=20) == [(t + 1) / 21 for t in range(10)]


def test_the_schedule_scales_the_rate_the_optimiser_was_built_with(data, tmp_path, often):
    run = run_with(tmp_path / "c")
    with pytest.raises(Crash):
        trained(data, NoisyRegression(8), run, steps=10, schedule="linear")
    learner, _ = trained(data, run=run, steps=10, schedule="linear")
    assert learner.rates == pytest.approx([0.3, 0.2, 0.1])
    assert learner._optimizer.learning_rate == pytest.approx(0.1 * 0.01)
    assert trained(data, steps=10)[0].rates == [1.0], "a constant rate is set once"


def test_gradient_clipping_bounds_the_norm(data):
    def norm(clip):
        learner, _ = trained(data, NoisyRegression(clip=clip), steps=1)
        return float(torch.cat([p.grad.flatten() for p in learner.model.parameters()]).norm())

    free = norm(None)
    assert norm(free / 10) == pytest.approx(free / 10, rel=1e-4)
    assert norm(free * 10) == pytest.approx(free)


def test_quiet_log_lines_without_a_terminal(data, caplog, capsys):
    with caplog.at_level(logging.INFO, logger="pdgmm"):
        trained(data, run=Run(seed=0, show_progress=True), steps=200)
    assert 10 <= len(caplog.records) <= 14
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("show", [True, False])
def test_a_progress_bar_on_a_terminal(data, monkeypatch, show):
    stderr = io.StringIO()
    stderr.isatty = lambda: True
    monkeypatch.setattr("sys.stderr", stderr)
    trained(data, run=Run(seed=0, show_progress=show), steps=20)
    assert ("20/20" in stderr.getvalue()) is show
    assert ("loss=" in stderr.getvalue()) is show
