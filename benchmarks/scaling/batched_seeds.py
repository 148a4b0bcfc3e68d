"""Would training several seeds as one pay off on this machine? ``python benchmarks/scaling/batched_seeds.py``.

A flow's training is bound by the number of its operations, not by their size, and seeds trained as one stack of
networks would share the operations. Nothing can make a stack faster than one network on as many samples: as few
operations, as much arithmetic, and one matrix where the stack has several. So the steps of a real flow are timed on a
batch and on several batches at once, and a whole fit tells how much of it is such steps. Prints JSON.
"""

import argparse
import itertools
import json
import tempfile
import time
from pathlib import Path
from unittest.mock import patch

import torch

from pdgmm.fitting.learners import Metrics
from pdgmm.fitting.samples import Observations
from pdgmm.methods.base import Run
from pdgmm.methods.flow import flow_fitting as fitting
from pdgmm.methods.flow.flow import Flow
from pdgmm.methods.flow.flow_learner import FlowLearner
from pdgmm.methods.flow.flow_schedule import FlowSchedule
from pdgmm.methods.spike_slab.joint_slab import JointSlabPrior
from pdgmm.models.coupling_flow import CouplingFlow
from pdgmm.steps.generate import generate_dataset
from pdgmm.workflow_support.freed_memory import reuse_freed_memory

LATENTS = (5, 10, 20)
SEEDS = (1, 2, 5, 10)
"""Seeds at once; the paper's studies have five."""

REPEATS = 5


def step_seconds(n: int, settings: Flow, seeds: int, steps: int) -> float:
    """CPU seconds of a training step on ``seeds`` batches at once, without searches and held-out scores."""
    schedule = FlowSchedule(steps, turns=0)
    flow = CouplingFlow(n, blocks=settings.blocks, width=settings.width_for(n))
    learner = FlowLearner(
        flow,
        JointSlabPrior(n, 0),
        schedule=schedule,
        learning_rate=settings.learning_rate,
        gradient_clip=settings.gradient_clip,
        input_noise=settings.input_noise,
        score=lambda flow, prior: 0.0,
        turn=lambda flow, prior, step: False,
        evaluations=1,
    )
    batch = torch.randn(seeds * settings.batch_for(n), n)
    learner.step(batch)
    began = time.process_time()
    for _ in range(steps):
        learner.step(batch)
    return (time.process_time() - began) / steps


def fit_seconds(n: int, settings: Flow, samples: int) -> tuple[float, int]:
    """CPU seconds of a whole fit at the paper's base setting but for ``n``, and how many training steps it took."""
    count = itertools.count()
    step = FlowLearner.step

    def counted_step(learner: FlowLearner, batch: torch.Tensor) -> Metrics:
        next(count)
        return step(learner, batch)

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "seed-0.h5"
        generate_dataset("pdgmm", json.dumps({"n": n, "samples": {"train": samples}}), 0, file)
        data = Observations.from_file(file, n)
        with patch.object(FlowLearner, "step", counted_step):
            began = time.process_time()
            fitting.fit_flow(settings, data, Run(seed=0, device="cpu"))
            return time.process_time() - began, next(count)


def measure(n: int, settings: Flow, samples: int, steps: int) -> dict:
    """A fit of ``n`` latents, and for every number of seeds the seconds of a step for each of them."""
    seconds, count = fit_seconds(n, settings, samples)
    # All numbers of seeds in turn, again and again: what else the machine does for a while slows all of them.
    tries = [
        [step_seconds(n, settings, seeds, max(1, steps // seeds)) / seeds for seeds in SEEDS]
        for _ in range(REPEATS)
    ]
    best = [min(times) for times in zip(*tries, strict=True)]
    return {
        "latents": n,
        "fit_seconds": seconds,
        "steps": count,
        "step_seconds": dict(zip(SEEDS, best, strict=True)),
    }


def main() -> None:
    """Measure every number of latents on one thread, as the workflow's trainings have it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=100, help="steps that are timed (100)")
    parser.add_argument(
        "--samples", type=int, default=100_000, help="training samples of the whole fit (100,000)"
    )
    options = parser.parse_args()
    torch.set_num_threads(1)
    reuse_freed_memory()  # as every step of the workflow does
    print(json.dumps([measure(n, Flow(), options.samples, options.steps) for n in LATENTS]))


if __name__ == "__main__":
    main()
