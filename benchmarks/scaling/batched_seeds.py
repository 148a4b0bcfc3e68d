"""Does training several seeds at once pay off on this machine? ``python benchmarks/scaling/batched_seeds.py``.

The couplings of a flow are small networks on batches of 512. Here stands one such network for a flow: it is trained
for several seeds one after the other, together as one stack of networks, and in a process each. Prints JSON.
"""

import argparse
import json
import multiprocessing
import time
from collections.abc import Callable
from multiprocessing.synchronize import Barrier

import torch
from torch.nn.functional import leaky_relu
from yardstick import usable_cores

from pdgmm.adam import Adam

N, WIDTH, BATCH = 10, 64, 512
BATCHES = 10
"""Batches drawn beforehand, taken in turn."""

SEEDS = (1, 2, 4, 8)
REPEATS = 3
LEARNING_RATE = 1e-3
LONGEST_START = 600
"""Seconds after which a process that has not started is taken for dead."""


def start(seed: int) -> tuple[list[torch.Tensor], torch.Tensor, torch.Tensor]:
    """Parameters of n -> 64 -> 64 -> n, inputs and targets (batches, 512, n) of a seed."""
    generator = torch.Generator().manual_seed(seed)
    parameters = []
    for rows, columns in ((N, WIDTH), (WIDTH, WIDTH), (WIDTH, N)):
        parameters += [torch.randn(rows, columns, generator=generator) / rows**0.5, torch.zeros(1, columns)]
    x = torch.randn(BATCHES, BATCH, N, generator=generator)
    return parameters, x, x.abs()


def train(
    product: Callable[[torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor],
    parameters: list[torch.Tensor],
    x: torch.Tensor,
    target: torch.Tensor,
    steps: int,
) -> torch.Tensor:
    """The last squared errors (…, 512, n) of a network, or of a stack of them, trained with Adam as flows are."""
    parameters = [parameter.requires_grad_() for parameter in parameters]
    optimizer = Adam(parameters, LEARNING_RATE, betas=(0.9, 0.99))
    w1, b1, w2, b2, w3, b3 = parameters
    for step in range(steps):
        hidden = leaky_relu(product(b1, x[step % BATCHES], w1))
        hidden = leaky_relu(product(b2, hidden, w2))
        error = (product(b3, hidden, w3) - target[step % BATCHES]).square()
        optimizer.zero_grad()
        # A sum over the networks of each one's mean: none feels the others.
        (error.sum() / (BATCH * N)).backward()
        optimizer.step()
    return error.detach()


def train_alone(seed: int, steps: int) -> float:
    """The loss of one seed's network after training."""
    return train(torch.addmm, *start(seed), steps).mean().item()


def train_together(seeds: list[int], steps: int) -> list[float]:
    """The losses of the seeds' networks, trained as one with parameters (seeds, in, out)."""
    parameters, x, target = zip(*(start(seed) for seed in seeds), strict=True)
    stacked = [torch.stack(parts) for parts in zip(*parameters, strict=True)]
    error = train(torch.baddbmm, stacked, torch.stack(x, 1), torch.stack(target, 1), steps)
    return error.mean((1, 2)).tolist()


def best_seconds(work: Callable[[], object]) -> float:
    """The least time of some repeats: what else the machine does only adds."""
    times = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return min(times)


def in_threads(threads: int, work: Callable[[], object]) -> float:
    """Seconds of ``work`` in this process with so many threads."""
    torch.set_num_threads(threads)
    return best_seconds(work)


def in_processes(seeds: int, steps: int, cores: int) -> float:
    """Seconds of all seeds in processes of one thread, as many at a time as there are cores.

    The processes have started and warmed up before the clock does: a real training is far longer than that.
    """
    workers = min(seeds, cores)
    context = multiprocessing.get_context("spawn")
    ready = context.Barrier(workers + 1, timeout=LONGEST_START)
    with context.Pool(workers, _warm_up, (ready,)) as pool:
        ready.wait()
        return best_seconds(
            lambda: pool.starmap(train_alone, [(seed, steps) for seed in range(seeds)], chunksize=1)
        )


def _warm_up(ready: Barrier) -> None:
    torch.set_num_threads(1)
    train_alone(0, 5)
    ready.wait()


def measure(seeds: int, steps: int, cores: int) -> dict[str, float]:
    """Seconds per seed and step in each way."""

    def in_turn() -> None:
        for seed in range(seeds):
            train_alone(seed, steps)

    def together() -> None:
        train_together(list(range(seeds)), steps)

    total = {
        "in_turn": in_threads(1, in_turn),
        "together_one_thread": in_threads(1, together),
        "together_all_cores": in_threads(cores, together),
        "processes": in_processes(seeds, steps, cores),
    }
    return {"seeds": seeds} | {way: seconds / (seeds * steps) for way, seconds in total.items()}


def main() -> None:
    """Measure every number of seeds, and one that fills the cores."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=200, help="training steps (200)")
    steps = parser.parse_args().steps
    cores = usable_cores()
    train_together([0], 5)
    print(json.dumps([measure(seeds, steps, cores) for seeds in sorted({*SEEDS, cores})]))


if __name__ == "__main__":
    main()
