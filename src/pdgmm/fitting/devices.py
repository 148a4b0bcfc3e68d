"""Devices: the name in the config, checked against what the machine has."""

from pdgmm.errors import UserError


def resolve_device(name: str) -> str:
    """The torch device that ``name`` means on this machine.

    ``auto`` takes the first of CUDA, MPS and the CPU that exists; ``cpu``, ``mps``, ``cuda`` and ``cuda:<number>``
    are used as given, and raise a :class:`UserError` if the machine does not have them.
    """
    import torch

    cuda_devices = torch.cuda.device_count() if torch.cuda.is_available() else 0
    mps = torch.backends.mps.is_available()
    if name == "auto":
        return "cuda" if cuda_devices else "mps" if mps else "cpu"
    kind, _, number = name.partition(":")
    if kind not in ("cpu", "cuda", "mps") or (number and not (kind == "cuda" and number.isdecimal())):
        raise UserError(f"device {name!r} is unknown: use auto, cpu, mps, cuda or cuda:<number>")
    if kind == "mps" and not mps:
        raise UserError("device 'mps' was asked for, but torch finds none here: use auto or cpu")
    if kind == "cuda" and not cuda_devices:
        raise UserError(f"device {name!r} was asked for, but torch finds no CUDA here: use auto or cpu")
    if kind == "cuda" and number and int(number) >= cuda_devices:
        raise UserError(f"device {name!r} was asked for, but torch finds only {cuda_devices} CUDA device(s)")
    return name


def prepared_device(wanted: str, threads: int) -> str:
    """Claim the device that ``wanted`` (auto, cpu, cuda, mps) means for this process, and give torch ``threads``."""
    if wanted in ("auto", "cuda"):
        from pdgmm.workflow_support.gpu_slots import use_own_device

        use_own_device()  # before torch looks for devices

    import torch

    torch.set_num_threads(threads)
    return resolve_device(wanted)
