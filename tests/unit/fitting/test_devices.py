import pytest
import torch

from pdgmm.errors import UserError
from pdgmm.fitting.devices import resolve_device


@pytest.fixture
def machine(monkeypatch):
    """Pretend to be a machine with so many CUDA devices, with or without MPS."""

    def pretend(cuda: int, mps: bool) -> None:
        monkeypatch.setattr(torch.cuda, "is_available", lambda: cuda > 0)
        monkeypatch.setattr(torch.cuda, "device_count", lambda: cuda)
        monkeypatch.setattr(torch.backends.mps, "is_available", lambda: mps)

    return pretend


@pytest.mark.parametrize(
    ("cuda", "mps", "expected"), [(2, True, "cuda"), (0, True, "mps"), (0, False, "cpu"), (1, False, "cuda")]
)
def test_auto_takes_the_fastest_device_there_is(machine, cuda, mps, expected):
    machine(cuda, mps)
    assert resolve_device("auto") == expected


@pytest.mark.parametrize("name", ["cpu", "mps", "cuda", "cuda:1"])
def test_a_device_that_is_there_is_taken_at_its_word(machine, name):
    machine(2, True)
    assert resolve_device(name) == name


@pytest.mark.parametrize(
    ("name", "cuda", "message"),
    [
        *((name, 0, "none here|no CUDA") for name in ("cuda", "cuda:0", "mps")),
        ("cuda:2", 2, "only 2"),
        *((name, 1, "unknown") for name in ("gpu", "cpu:0", "cuda:x")),
    ],
)
def test_a_device_that_is_not_there_is_one_clear_error(machine, name, cuda, message):
    machine(cuda, False)
    with pytest.raises(UserError, match=rf"'{name}'.*({message})"):
        resolve_device(name)
