"""Jacobians of decoders: the exact ones of the package beside reverse mode and finite differences."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from measuring import REPEATS
from render import csv_text

SIZES = ((3, 5), (5, 20), (10, 100))
"""Latents and observed variables of the decoders."""

HIDDEN, SLOPE = [64, 64, 64], 0.2
"""Hidden layers and leaky ReLUs as in the methods of `config/ddl.yaml`."""

BATCH = 256
STEP = 1e-2
"""Half the distance of the central differences: near the best one in float32."""

CALLS = 5
"""Calls in one measurement, so that a call that takes less than a millisecond can be timed."""

WAYS = {"exact": "`layers_jacobian`", "reverse": "`vmap(jacrev)`", "differences": "central differences"}
"""The ways to a Jacobian, the first one ours, and their names in the table."""


class Cost(NamedTuple):
    """Milliseconds of one batch, without and with the gradient of a penalty, and the largest error."""

    latents: int
    observed: int
    way: str
    jacobian_ms: float
    gradient_ms: float
    error: float
    """The largest difference from reverse mode, as a share of the largest derivative of the batch."""


def jacobians(network: Any) -> dict[str, Callable[[Any], Any]]:
    """For every way a function from codes (samples, d) to Jacobians (samples, m, d) of a torch ``network``."""
    import torch

    from pdgmm.fitting.decoder_jacobian import layers_jacobian

    def differences(z: torch.Tensor) -> torch.Tensor:
        steps = STEP * torch.eye(z.shape[1])
        codes = torch.cat([z[:, None] + steps, z[:, None] - steps], dim=1)
        above, below = network(codes).chunk(2, dim=1)
        return ((above - below) / (2 * STEP)).mT

    return {
        "exact": lambda z: layers_jacobian(network, z)[1],
        "reverse": torch.func.vmap(torch.func.jacrev(network)),
        "differences": differences,
    }


def measured(latents: int, observed: int) -> list[Cost]:
    """The cost of every way for one decoder with random weights, at random codes."""
    import torch

    from pdgmm.fitting.networks import leaky_mlp

    torch.manual_seed(0)
    network = leaky_mlp([latents, *HIDDEN, observed], SLOPE)
    z = torch.randn(BATCH, latents)
    ways = jacobians(network)
    found = {way: function(z).detach() for way, function in ways.items()}
    scale = found["reverse"].abs().max()
    errors = {way: float((one - found["reverse"]).abs().max() / scale) for way, one in found.items()}

    def penalised(function: Callable[[Any], Any]) -> None:
        network.zero_grad()
        function(z).abs().sum(dim=(1, 2)).mean().backward()

    times: dict[str, list[tuple[float, float]]] = {way: [] for way in ways}
    # The first round warms up; the ways take turns, so that other load on the machine meets all of them.
    for _ in range(REPEATS + 1):
        for way, function in ways.items():
            times[way].append((_milliseconds(function, z), _milliseconds(penalised, function)))
    best = {way: [min(each) for each in zip(*rounds[1:], strict=True)] for way, rounds in times.items()}
    return [Cost(latents, observed, way, *best[way], errors[way]) for way in WAYS]


def _milliseconds(function: Callable[[Any], Any], argument: Any) -> float:
    started = time.perf_counter()
    for _ in range(CALLS):
        function(argument)
    return 1000 * (time.perf_counter() - started) / CALLS


def section(costs: list[Cost]) -> str:
    """The section of the page."""
    ours = {(one.latents, one.observed): one for one in costs if one.way == "exact"}
    lines = [
        "## Jacobians of decoders",
        "",
        "Methods with a penalty on the decoder's Jacobian compute it in every training step. Times are multiples of "
        f"those of our exact Jacobian (`layers_jacobian`), for {BATCH} codes and a decoder with hidden layers of "
        f"{', '.join(map(str, HIDDEN))} leaky ReLUs, in float32 and with one thread. With gradient: the sum of the "
        "absolute values is also differentiated with respect to the weights. An error is the largest difference from "
        "reverse mode, as a share of the largest derivative. The fastest of "
        f"{REPEATS} rounds counts.",
        "",
        "| latents | observed | Jacobian by | time | with gradient | error |",
        "|---:|---:|---|---:|---:|---:|",
    ]
    for one in costs:
        base = ours[one.latents, one.observed]
        lines.append(
            f"| {one.latents} | {one.observed} | {WAYS[one.way]} | {one.jacobian_ms / base.jacobian_ms:.1f} "
            f"| {one.gradient_ms / base.gradient_ms:.1f} | {one.error:.1e} |"
        )
    return "\n".join([*lines, "", _words(costs), ""])


def _words(costs: list[Cost]) -> str:
    """What the ratios of the largest decoder mean."""
    exact, reverse, differences = costs[-3:]
    return (
        f"So with {exact.latents} latents and {exact.observed} observed variables, a penalty on the Jacobian and its "
        f"gradient cost {reverse.gradient_ms / exact.gradient_ms:.1f} times as much in reverse mode and "
        f"{differences.gradient_ms / exact.gradient_ms:.1f} times as much with central differences as with our exact "
        "Jacobian; and differences are wrong where a step crosses a kink of a leaky ReLU."
    )


def measure_jacobians() -> tuple[str, str]:
    """A section of the page, and the same as CSV; measured in another process, which has one thread."""
    done = subprocess.run(
        [sys.executable, __file__],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"},
    )
    costs = [Cost(*row) for row in json.loads(done.stdout.splitlines()[-1])]
    rows = [
        [
            one.latents,
            one.observed,
            one.way,
            f"{one.jacobian_ms:.3f}",
            f"{one.gradient_ms:.3f}",
            f"{one.error:.1e}",
        ]
        for one in costs
    ]
    return section(costs), csv_text(Cost._fields, rows)


if __name__ == "__main__":
    print(json.dumps([cost for size in SIZES for cost in measured(*size)]))
