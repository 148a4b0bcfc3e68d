"""The training loop of all methods: batches, schedule, checkpoints, progress, divergence."""

import copy
import logging
import math
import os
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Literal

import torch
from tqdm import tqdm

from pdgmm.errors import FitFailed
from pdgmm.fitting.checkpoints import load_checkpoint, save_checkpoint
from pdgmm.fitting.devices import resolve_device
from pdgmm.fitting.learners import Batch, Learner
from pdgmm.fitting.run import Run
from pdgmm.fitting.samples import Samples
from pdgmm.fitting.torch_random import random_state, restore_random_state, torch_stream
from pdgmm.seeds import child_seed

CHECKPOINT_SECONDS = 30.0
"""The most work that a kill may cost, in seconds, unless writing a checkpoint takes more than a twentieth of that."""

CHECKPOINT_EVERY_STEPS = "PDGMM_CHECKPOINT_EVERY_STEPS"
"""An environment variable: if set, a checkpoint is written after every this many steps instead."""

HISTORY_ROWS = 100
LOG_ROWS = 10

BLOW_UP = 1e6
"""A loss that has risen by this many times its first value (or by this much, if that was below 1) counts as diverged:
it will not recover, though it may stay finite for long."""

log = logging.getLogger(__name__)


def train(
    learner: Learner,
    data: Samples,
    *,
    steps: int,
    batch_size: int,
    run: Run,
    schedule: Literal["constant", "cosine", "linear"] = "constant",
    warmup_steps: int = 0,
) -> dict[str, float]:
    """Take ``steps`` steps on shuffled batches of ``data``; return and note the last step's metrics (``last_step``).

    Rows of metrics go to ``run.history``. If ``run.checkpoint`` holds an earlier state of the same fit, training
    continues from there, and the result is identical, to the bit, to that of a fit without interruption. Raises
    :class:`FitFailed` with status ``diverged`` if the loss is no longer finite or has blown up.
    """
    device = torch.device(resolve_device(run.device))
    with torch_stream(run.seed, "training", device=device):
        first = _resume(learner, run, steps, device)
        log.info("training: step %d of %d, device %s", first, steps, device)
        begin = time.monotonic()
        order = child_seed(run.seed, "batch order")
        batches = tensor_batches(data, batch_size, seed=order, start=first, device=device)
        factors = partial(learning_rate_factor, steps=steps, schedule=schedule, warmup_steps=warmup_steps)
        _loop(learner, batches, factors, first, steps, run)
        log.info("trained: %d steps in %.1f s", steps - first, time.monotonic() - begin)
    if not _all_finite(learner.state_dict()):
        raise FitFailed("diverged", f"weights were not finite after step {steps}")
    run.notes["last_step"] = {name: value for name, value in run.history[-1].items() if name != "step"}
    return run.notes["last_step"]


def tensor_batches(
    data: Samples, batch_size: int, *, seed: int, start: int = 0, device: torch.device
) -> Iterator[Batch]:
    """The endless batches of :meth:`Samples.batches` as tensors on ``device``."""
    for batch in data.batches(batch_size, seed=seed, start=start):
        yield {name: torch.from_numpy(values).to(device, non_blocking=True) for name, values in batch.items()}


def learning_rate_factor(
    step: int, *, steps: int, schedule: Literal["constant", "cosine", "linear"], warmup_steps: int
) -> float:
    """The factor on the learning rate in step ``step`` (from 0) of ``steps``.

    It rises linearly over ``warmup_steps``, then stays at 1 (``constant``), or falls from 1 towards 0 along half a
    ``cosine`` or a ``linear`` ramp.
    """
    if step < warmup_steps:
        return (step + 1) / (warmup_steps + 1)
    done = (step - warmup_steps) / (steps - warmup_steps)
    if schedule == "cosine":
        return (1 + math.cos(math.pi * done)) / 2
    return 1 - done if schedule == "linear" else 1.0


def _loop(
    learner: Learner,
    batches: Iterator[Batch],
    factors: Callable[[int], float],
    first: int,
    steps: int,
    run: Run,
) -> None:
    history_every, log_every = max(1, steps // HISTORY_ROWS), max(1, steps // LOG_ROWS)
    checkpoints = _Checkpoints(learner, run)
    factor = None
    with tqdm(
        total=steps,
        initial=first,
        unit="step",
        desc="training",
        file=sys.stderr,
        disable=not (run.show_progress and sys.stderr.isatty()),
    ) as bar:
        for step in range(first, steps):
            wanted = factors(step)
            if wanted != factor:
                factor = wanted
                learner.scale_learning_rate(factor)
            try:
                metrics = learner.step(next(batches))
            except torch.linalg.LinAlgError as error:
                raise FitFailed("diverged", f"step {step + 1}: {error}") from error
            bar.update()
            done = step + 1
            if done == 1 or done % history_every == 0 or done == steps or learner.finished:
                row = {"step": done, **{name: float(value) for name, value in metrics.items()}}
                _check_loss(row["loss"], done, run)
                run.history.append(row)
                bar.set_postfix(loss=f"{row['loss']:.4g}", refresh=False)
                if bar.disable and done % log_every == 0:
                    shown = ", ".join(f"{name} {value:.4g}" for name, value in row.items() if name != "step")
                    log.info("step %d of %d: %s", done, steps, shown)
            if learner.finished:
                break
            if done < steps and checkpoints.due(done):
                _check_loss(float(metrics["loss"]), done, run)
                checkpoints.save(done)


def _check_loss(loss: float, done: int, run: Run) -> None:
    if not math.isfinite(loss):
        raise FitFailed("diverged", f"loss was {loss} at step {done}")
    if run.history:
        initial = run.history[0]["loss"]
        if loss - initial > BLOW_UP * max(1.0, abs(initial)):
            raise FitFailed("diverged", f"loss rose from {initial:.3g} to {loss:.3g} at step {done}")


class _Checkpoints:
    """Decides when a checkpoint is due, and writes it."""

    def __init__(self, learner: Learner, run: Run) -> None:
        self._learner = learner
        self._run = run
        self._device = torch.device(resolve_device(run.device))
        self._every_steps = int(os.environ.get(CHECKPOINT_EVERY_STEPS, "0"))
        self._next = time.monotonic() + CHECKPOINT_SECONDS

    def due(self, done: int) -> bool:
        if self._run.checkpoint is None:
            return False
        if self._every_steps:
            return done % self._every_steps == 0
        return time.monotonic() >= self._next

    def save(self, done: int) -> None:
        begin = time.monotonic()
        state = {
            "step": done,
            "learner": self._learner.state_dict(),
            "random": random_state(self._device),
            "history": self._run.history,
        }
        save_checkpoint(self._run, state)
        end = time.monotonic()
        # A large model on a slow disk must not spend its time on checkpoints.
        self._next = end + max(CHECKPOINT_SECONDS, 20 * (end - begin))


def _resume(learner: Learner, run: Run, steps: int, device: torch.device) -> int:
    """Load the checkpoint of this fit into ``learner``, if there is one; returns the number of steps already done."""
    saved = load_checkpoint(run)
    if saved is None:
        return 0
    fresh = copy.deepcopy(learner.state_dict())
    try:
        done, history = int(saved["step"]), list(saved["history"])
        if not 0 < done < steps or not history:
            raise ValueError(f"it is at step {done} of {steps}")
        learner.load_state_dict(saved["learner"])
        restore_random_state(saved["random"], device)
    except (KeyError, TypeError, ValueError, RuntimeError) as error:
        learner.load_state_dict(fresh)
        log.warning("checkpoint %s does not fit (%s): starting from the beginning", run.checkpoint, error)
        return 0
    run.history[:] = history
    log.info("resuming from %s", run.checkpoint)
    return done


def _all_finite(state: Any) -> bool:
    if isinstance(state, dict):
        return all(_all_finite(value) for value in state.values())
    if isinstance(state, list):
        return all(_all_finite(value) for value in state)
    return not isinstance(state, torch.Tensor) or bool(torch.isfinite(state).all())
