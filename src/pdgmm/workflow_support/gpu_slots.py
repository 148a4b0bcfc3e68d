"""Several GPUs on one host: each training job claims one of its own.

A job claims a device by holding a lock of the operating system (``flock``) on that device's slot file until it
ends. The lock ends with the job, even after ``kill -9``, so no slot is ever lost.

The devices to share are listed in ``PDGMM_GPUS`` (``0,1,2``), or else in ``CUDA_VISIBLE_DEVICES`` if that names
more than one. In a Slurm job only ``CUDA_VISIBLE_DEVICES`` counts: Slurm sets it to the devices of the job.
"""

import fcntl
import logging
import os
import re
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from pdgmm.errors import UserError

log = logging.getLogger(__name__)

DEVICE = re.compile(r"[0-9]+|(GPU|MIG)-[0-9a-fA-F/-]+")
"""How CUDA names a device: an index, or the identity that `nvidia-smi -L` prints."""

POLL_SECONDS = 0.5

_held: list[int] = []
"""File descriptors of the slots, held until this process ends."""


def shared_devices(environment: Mapping[str, str]) -> list[str]:
    """The devices that jobs on this host share, as CUDA names them; empty if there is nothing to choose."""
    ours = [] if "SLURM_JOB_ID" in environment else _listed(environment.get("PDGMM_GPUS", ""))
    if ours:
        if wrong := [device for device in ours if not DEVICE.fullmatch(device)]:
            raise UserError(f"PDGMM_GPUS holds {wrong[0]!r}: list devices as in PDGMM_GPUS=0,1,2")
        return ours
    visible = _listed(environment.get("CUDA_VISIBLE_DEVICES", ""))
    # CUDA also accepts other values here (`-1`, `none`), which are not lists to choose from.
    return visible if len(visible) > 1 and all(map(DEVICE.fullmatch, visible)) else []


def claim_device(devices: list[str], slots: Path | None = None) -> str:
    """Wait until one of ``devices`` is free, hold it until this process ends, and return it.

    ``slots`` is the folder of the slot files. It must be the same for all jobs that share the devices, and it must be
    on this host: locks on a network file system are not reliable.
    """
    slots = slots or default_slots(os.environ)
    slots.mkdir(mode=0o700, exist_ok=True)
    waited = False
    while True:
        for device in devices:
            if _claimed(slots / device.replace("/", "_")):
                return device
        if not waited:
            log.info("waiting for a free device of %s", ", ".join(devices))
            waited = True
        time.sleep(POLL_SECONDS)


def default_slots(environment: Mapping[str, str]) -> Path:
    """The folder of the slot files, one per user and Slurm job: Slurm may number the devices of each job from 0."""
    parts = ["pdgmm-gpus", str(os.getuid()), *filter(None, [environment.get("SLURM_JOB_ID")])]
    return Path(tempfile.gettempdir()) / "-".join(parts)


def use_own_device() -> str | None:
    """If several devices are shared, claim one and hide the others from CUDA. Call this before importing torch."""
    devices = shared_devices(os.environ)
    if not devices:
        return None
    device = claim_device(devices)
    os.environ["CUDA_VISIBLE_DEVICES"] = device
    return device


def _listed(value: str) -> list[str]:
    return list(dict.fromkeys(entry.strip() for entry in value.split(",") if entry.strip()))


def _claimed(slot: Path) -> bool:
    descriptor = os.open(slot, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        # Child processes do not inherit the descriptor (Python's default), so they cannot keep the slot.
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return False
    _held.append(descriptor)
    return True
