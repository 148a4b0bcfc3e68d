"""Torch's random numbers as a named child of the run's seed, without effect on anything outside."""

import contextlib
from collections.abc import Iterator

import torch

from pdgmm.seeds import child_seed


@contextlib.contextmanager
def torch_stream(seed: int, *names: str | int, device: torch.device) -> Iterator[None]:
    """Inside the block torch draws from the child ``names`` of ``seed``; outside nothing changes."""
    accelerators = [] if device.type == "cpu" else [device.index or 0]
    kind = "cuda" if device.type == "cpu" else device.type
    with torch.random.fork_rng(devices=accelerators, device_type=kind):
        torch.manual_seed(child_seed(seed, *names))
        yield


def random_state(device: torch.device) -> dict[str, torch.Tensor]:
    """The state of the CPU's generator and of the device's own, if it has one."""
    state = {"cpu": torch.get_rng_state()}
    if device.type != "cpu":
        state[device.type] = torch.get_device_module(device).get_rng_state()
    return state


def restore_random_state(state: dict[str, torch.Tensor], device: torch.device) -> None:
    """Continue from a :func:`random_state`; raises ``KeyError`` if it was taken on another kind of device."""
    accelerator = state[device.type]
    torch.set_rng_state(state["cpu"])
    if device.type != "cpu":
        torch.get_device_module(device).set_rng_state(accelerator)
