import io
import logging

import numpy as np
import pytest
import torch
from torch import nn

from pdgmm.errors import FitFailed
from pdgmm.fitting import training_loop as training
from pdgmm.fitting.learners import AdamLearner
from pdgmm.fitting.run import Run
from pdgmm.fitting.samples import Samples
from pdgmm.fitting.training_loop import learning_rate_factor, train


class Crash(Exception):
    """Stands for a kill."""


class NoisyRegression(AdamLearner):
    """Draws random numbers in every step, so that a lost generator state would show; may crash at a step."""

    def __init__(self, crash_at: int | None = None, learning_rate: float = 0.01, clip: float | None = None):
        torch.manual_seed(0)
        self.model = nn.Linear(3, 3)
        self.crash_at = crash_at
        self.batches = []
        self.rates = []
        super().__init__(self.model, self.objective, learning_rate=learning_rate, gradient_clip=clip)

    def objective(self, x):
        noise = 0.1 * torch.randn_like(x)
        return {"loss": (self.model(x + noise) - x).square().mean(), "noise": noise.abs().mean()}

    def step(self, batch):
        if self.crash_at == len(self.batches):
            raise Crash
        self.batches.append(batch.clone())
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
    monkeypatch.setenv(training.CHECKPOINT_EVERY_STEPS, "7")


def crashed_run(data, path, key="key", crash_at=30):
    run = Run(seed=1, checkpoint=path, checkpoint_key=key)
    with pytest.raises(Crash):
        train(NoisyRegression(crash_at), data, steps=50, batch_size=16, run=run, schedule="cosine")
    return run


def whole_run(data, checkpoint=None, key="key"):
    run = Run(seed=1, checkpoint=checkpoint, checkpoint_key=key)
    learner = NoisyRegression()
    train(learner, data, steps=50, batch_size=16, run=run, schedule="cosine")
    return learner, run


def test_training_lowers_the_loss_and_keeps_a_history(data):
    run = Run(seed=0)
    last = train(NoisyRegression(), data, steps=450, batch_size=32, run=run)
    steps = [row["step"] for row in run.history]
    assert steps[0] == 1
    assert steps[-1] == 450
    assert 100 <= len(steps) <= 115
    assert run.history[-1]["loss"] < run.history[0]["loss"] / 3
    assert last == {"loss": run.history[-1]["loss"], "noise": run.history[-1]["noise"]}
    assert all(isinstance(value, int | float) for row in run.history for value in row.values())


def test_the_same_seed_gives_the_same_bits_whatever_torch_was_doing(data):
    torch.manual_seed(1)
    first, _ = whole_run(data)
    torch.manual_seed(2)
    outside = torch.random.get_rng_state()
    learner = NoisyRegression()
    torch.random.set_rng_state(outside)
    train(learner, data, steps=50, batch_size=16, run=Run(seed=1), schedule="cosine")
    assert torch.equal(first.weights(), learner.weights())
    assert torch.equal(torch.random.get_rng_state(), outside)


def test_a_resumed_run_ends_in_the_same_bits(data, tmp_path, often):
    expected, expected_run = whole_run(data)
    path = tmp_path / "folder" / "checkpoint"
    crashed_run(data, path)
    resumed, run = whole_run(data, path)
    assert len(resumed.batches) == 50 - 28
    assert torch.equal(resumed.weights(), expected.weights())
    assert run.history == expected_run.history
    assert torch.equal(resumed.batches[0], expected.batches[28])


def test_a_checkpoint_of_another_fit_is_ignored(data, tmp_path, often, caplog):
    crashed_run(data, tmp_path / "checkpoint", key="another")
    learner, run = whole_run(data, tmp_path / "checkpoint")
    assert len(learner.batches) == 50
    assert "another fit" in caplog.text
    assert run.history == whole_run(data)[1].history


@pytest.mark.parametrize("damage", ["empty", "garbage", "truncated", "flipped"])
def test_a_damaged_checkpoint_is_ignored(data, tmp_path, often, caplog, damage):
    path = tmp_path / "checkpoint"
    crashed_run(data, path)
    raw = path.read_bytes()
    middle = len(raw) // 2
    flipped = raw[:middle] + bytes([raw[middle] ^ 1]) + raw[middle + 1 :]
    path.write_bytes(
        {"empty": b"", "garbage": b"x" * 500, "truncated": raw[:middle], "flipped": flipped}[damage]
    )
    learner, _ = whole_run(data, path)
    assert len(learner.batches) == 50
    assert "damaged" in caplog.text
    assert torch.equal(learner.weights(), whole_run(data)[0].weights())


def test_a_checkpoint_of_another_shape_is_ignored_and_leaves_no_trace(data, tmp_path, often, caplog):
    path = tmp_path / "checkpoint"
    crashed_run(data, path)
    saved = training.load_checkpoint(Run(seed=1, checkpoint=path, checkpoint_key="key"))
    saved["learner"]["model"] = {"weight": torch.zeros(3, 3), "bias": torch.zeros(4)}
    del saved["key"]
    training.save_checkpoint(Run(seed=1, checkpoint=path, checkpoint_key="key"), saved)
    learner, _ = whole_run(data, path)
    assert "does not fit" in caplog.text
    assert torch.equal(learner.weights(), whole_run(data)[0].weights())


def test_no_code_in_a_checkpoint_is_run(data, tmp_path, caplog):
    import hashlib

    from pdgmm.fitting.checkpoints import MAGIC

    buffer = io.BytesIO()
    torch.save({"key": "key", "step": Crash}, buffer)
    payload = buffer.getvalue()
    path = tmp_path / "checkpoint"
    path.write_bytes(MAGIC + hashlib.sha256(payload).digest() + payload)
    learner, _ = whole_run(data, path)
    assert len(learner.batches) == 50
    assert "cannot be read" in caplog.text


def test_a_checkpoint_that_cannot_be_written_does_not_stop_the_training(data, tmp_path, often, caplog):
    (tmp_path / "file").touch()
    learner, _ = whole_run(data, tmp_path / "file" / "checkpoint")
    assert len(learner.batches) == 50
    assert "no checkpoint was written" in caplog.text


def test_checkpoints_by_time(data, tmp_path, monkeypatch):
    monkeypatch.setattr(training, "CHECKPOINT_SECONDS", 0.0)
    crashed_run(data, tmp_path / "checkpoint")
    assert (tmp_path / "checkpoint").exists()


def test_no_checkpoint_before_its_time(data, tmp_path):
    crashed_run(data, tmp_path / "checkpoint")
    assert not (tmp_path / "checkpoint").exists()


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_a_loss_that_is_not_finite_is_a_recorded_failure(data, bad):
    learner = NoisyRegression()
    with torch.no_grad():
        learner.model.bias[0] = bad
    with pytest.raises(FitFailed, match=r"loss was (nan|inf) at step 1") as raised:
        train(learner, data, steps=5, batch_size=16, run=Run(seed=0))
    assert raised.value.status == "diverged"


def test_a_loss_that_blows_up_is_a_recorded_failure(data):
    with pytest.raises(FitFailed, match="loss rose from") as raised:
        train(NoisyRegression(learning_rate=1e6), data, steps=5, batch_size=16, run=Run(seed=0))
    assert raised.value.status == "diverged"


def test_weights_that_are_not_finite_after_the_last_step_are_a_recorded_failure(data):
    class LastStepBreaks(NoisyRegression):
        def step(self, batch):
            metrics = super().step(batch)
            if len(self.batches) == 5:
                self.model.weight.data[0, 0] = float("nan")
            return metrics

    with pytest.raises(FitFailed, match="weights were not finite"):
        train(LastStepBreaks(), data, steps=5, batch_size=16, run=Run(seed=0))


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
    run = Run(seed=1, checkpoint=tmp_path / "c")
    with pytest.raises(Crash):
        train(NoisyRegression(8), data, steps=10, batch_size=16, run=run, schedule="linear")
    learner = NoisyRegression()
    train(learner, data, steps=10, batch_size=16, run=run, schedule="linear")
    assert learner.rates == pytest.approx([0.3, 0.2, 0.1])
    assert learner._optimizer.learning_rate == pytest.approx(0.1 * 0.01)


def test_a_constant_rate_is_set_once(data):
    learner = NoisyRegression()
    train(learner, data, steps=10, batch_size=16, run=Run(seed=0))
    assert learner.rates == [1.0]


def test_gradient_clipping_bounds_the_norm(data):
    def norm(clip):
        learner = NoisyRegression(clip=clip)
        train(learner, data, steps=1, batch_size=16, run=Run(seed=0))
        return float(torch.cat([p.grad.flatten() for p in learner.model.parameters()]).norm())

    free = norm(None)
    assert norm(free / 10) == pytest.approx(free / 10, rel=1e-4)
    assert norm(free * 10) == pytest.approx(free)


def test_quiet_log_lines_without_a_terminal(data, caplog, capsys):
    with caplog.at_level(logging.INFO, logger="pdgmm"):
        train(NoisyRegression(), data, steps=200, batch_size=16, run=Run(seed=0, show_progress=True))
    assert 10 <= len(caplog.records) <= 14
    assert capsys.readouterr().err == ""


def test_a_progress_bar_on_a_terminal(data, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    stderr = Terminal()
    monkeypatch.setattr("sys.stderr", stderr)
    train(NoisyRegression(), data, steps=20, batch_size=16, run=Run(seed=0, show_progress=True))
    assert "20/20" in stderr.getvalue()
    assert "loss=" in stderr.getvalue()
    shown = len(stderr.getvalue())
    train(NoisyRegression(), data, steps=20, batch_size=16, run=Run(seed=0, show_progress=False))
    assert len(stderr.getvalue()) == shown
