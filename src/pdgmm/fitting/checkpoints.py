"""Checkpoints of unfinished fits: written completely or not at all, and checked when they are read.

A file is ``MAGIC``, the SHA-256 of the rest, and a torch archive that is read with ``weights_only=True``: no code
in a checkpoint is ever run. If a checkpoint is damaged, there is a warning and the fit starts from the beginning.
"""

import hashlib
import io
import logging
from typing import Any

import torch

from pdgmm.errors import UserError
from pdgmm.fitting.run import Run
from pdgmm.store.atomic import whole_file

MAGIC = b"pdgmm-checkpoint-1\n"
DIGEST_BYTES = hashlib.sha256().digest_size

log = logging.getLogger(__name__)


def save_checkpoint(run: Run, state: dict[str, Any]) -> None:
    """Write ``state`` (tensors, numbers, texts, lists and dicts of them) under the run's key.

    If the disk is full, the checkpoint is skipped and the fit goes on.
    """
    buffer = io.BytesIO()
    torch.save({"key": run.checkpoint_key, **state}, buffer)
    payload = buffer.getbuffer()
    try:
        with whole_file(run.checkpoint) as temporary, temporary.open("wb") as file:
            file.write(MAGIC + hashlib.sha256(payload).digest())
            file.write(payload)
    except UserError as error:
        log.warning("no checkpoint was written, training goes on: %s", error)


def load_checkpoint(run: Run) -> dict[str, Any] | None:
    """The state that :func:`save_checkpoint` wrote for this same fit, on the CPU; ``None`` if there is none."""
    if run.checkpoint is None or not run.checkpoint.exists():
        return None
    header = len(MAGIC) + DIGEST_BYTES
    try:
        raw = run.checkpoint.read_bytes()
        digest, payload = raw[len(MAGIC) : header], memoryview(raw)[header:]
        if raw.startswith(MAGIC) and hashlib.sha256(payload).digest() == digest:
            state = torch.load(io.BytesIO(payload), map_location="cpu", weights_only=True)
            if isinstance(state, dict) and state.get("key") == run.checkpoint_key:
                return state
            wrong = "belongs to another fit"
        else:
            wrong = "is damaged"
    except Exception as error:  # torch raises many kinds; a checkpoint must never stop a fit
        wrong = f"cannot be read ({error})"
    log.warning("checkpoint %s %s: starting from the beginning", run.checkpoint, wrong)
    return None
