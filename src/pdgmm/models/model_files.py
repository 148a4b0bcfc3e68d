"""Fitted encoders on disk: ``model.safetensors`` (arrays) and ``model.json`` (what they mean).

Nothing is ever unpickled. ``model.json`` holds the SHA-256 of the arrays' file and of its own content, so a damaged
or mixed-up pair is noticed before use. A fit that failed leaves the same two files: no arrays, and its status and
reason.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load as parse_tensors
from safetensors.numpy import save as render_tensors

import pdgmm
from pdgmm.errors import FitFailed, UserError
from pdgmm.models import KINDS, encoder_class
from pdgmm.models.base import Encoder
from pdgmm.store.atomic import whole_file
from pdgmm.store.checked_json import (
    CHECKSUM,
    check_content,
    read_json_object,
    write_checked_json,
)
from pdgmm.store.file_messages import cannot_be_read, quoted

FORMAT_VERSION = 1
TENSORS = "model.safetensors"
DESCRIPTION = "model.json"
MADE_BY = "snakemake, or `pdgmm fit` for a study of your own data,"
"""The commands that leave models; others only read them."""

KEYS = {
    "format_version",
    "kind",
    "settings",
    "status",
    "reason",
    "notes",
    "tensors_sha256",
    "pdgmm_version",
    CHECKSUM,
}
"""What a description may hold; the checksum of the other entries is missing in files of earlier versions."""


@dataclass(frozen=True)
class FittedModel:
    """An encoder, or why there is none, and what the fit noted about itself."""

    encoder: Encoder | None
    failure: FitFailed | None
    notes: dict[str, Any]

    def usable(self) -> Encoder:
        """The encoder; raises the recorded :class:`FitFailed` where the fit left none."""
        if self.encoder is None:
            raise self.failure or FitFailed("failed", "the model file holds no encoder")
        return self.encoder


def save_model(folder: Path, model: FittedModel) -> None:
    """Write the two files of ``model`` into ``folder``."""
    encoder = model.encoder
    # safetensors writes the memory as it lies: a transposed view would come back with its entries mixed up.
    tensors = render_tensors(
        {name: np.ascontiguousarray(array) for name, array in encoder.tensors().items()} if encoder else {}
    )
    with whole_file(Path(folder) / TENSORS) as temporary:
        temporary.write_bytes(tensors)
    description = {
        "format_version": FORMAT_VERSION,
        "kind": encoder.kind if encoder else None,
        "settings": encoder.settings() if encoder else None,
        "status": model.failure.status if model.failure else "ok",
        "reason": model.failure.reason if model.failure else "",
        "notes": model.notes,
        "tensors_sha256": hashlib.sha256(tensors).hexdigest(),
        "pdgmm_version": pdgmm.__version__,
    }
    write_checked_json(Path(folder) / DESCRIPTION, description)


def load_model(folder: Path) -> FittedModel:
    """Read a model; a missing, damaged or foreign file is a :class:`UserError` that names it."""
    folder = Path(folder)
    description = _read_description(folder / DESCRIPTION)
    if description.get("format_version") != FORMAT_VERSION:
        raise UserError(
            f"{folder / DESCRIPTION} has format version {description.get('format_version')!r}, "
            f"this program reads version {FORMAT_VERSION}. {_repair(folder)}"
        )
    _verify(description, folder / DESCRIPTION)
    tensors = _read_tensors(folder / TENSORS, str(description.get("tensors_sha256")))
    if description.get("status") != "ok":
        failure = FitFailed(str(description.get("status")), str(description.get("reason")))
        return FittedModel(None, failure, description.get("notes", {}))
    try:
        encoder = encoder_class(description["kind"]).restore(description["settings"], tensors)
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, RuntimeError) as error:
        raise UserError(
            f"{folder / DESCRIPTION} does not fit its arrays ({error}). {_repair(folder)}"
        ) from error
    return FittedModel(encoder, None, description.get("notes", {}))


def read_notes(folder: Path) -> dict[str, Any]:
    """What the fit of a model noted about itself, without the arrays of the model."""
    path = Path(folder) / DESCRIPTION
    description = _read_description(path)
    _verify(description, path)
    return description.get("notes", {})


def _read_description(path: Path) -> dict[str, Any]:
    try:
        return read_json_object(path, _repair(path.parent))
    except FileNotFoundError:
        raise UserError(f"{path} does not exist: {MADE_BY} makes it; or check the path") from None


def _verify(description: dict[str, Any], path: Path) -> None:
    """Raises a :class:`UserError` where the description is not what :func:`save_model` wrote."""
    kind = description.get("kind")
    if description.get("status") == "ok" and (not isinstance(kind, str) or kind not in KINDS):
        raise UserError(
            f"{path}: unknown kind {kind!r}, known are {', '.join(sorted(KINDS))}. {_repair(path.parent)}"
        )
    if unknown := description.keys() - KEYS:
        raise UserError(f"{path} is damaged (unknown key {min(unknown)!r}). {_repair(path.parent)}")
    check_content(path, description, _repair(path.parent))
    if not isinstance(description.get("notes", {}), dict):
        raise UserError(f"{path} is damaged (its notes are no JSON object). {_repair(path.parent)}")


def _read_tensors(path: Path, sha256: str) -> dict[str, Any]:
    try:
        raw = path.read_bytes()
        if hashlib.sha256(raw).hexdigest() != sha256:
            raise UserError(
                f"{path} is damaged (its checksum is not the one in {DESCRIPTION}). {_repair(path.parent)}"
            )
        return parse_tensors(raw)
    except FileNotFoundError:
        raise UserError(f"{path} does not exist: {MADE_BY} makes it; or check the path") from None
    except OSError as error:
        raise UserError(cannot_be_read(path, error)) from error
    except (SafetensorError, LookupError, TypeError) as error:
        raise UserError(f"{path} is damaged ({error}). {_repair(path.parent)}") from error


def _repair(folder: Path) -> str:
    files = f"{quoted(folder / TENSORS)} {quoted(folder / DESCRIPTION)}"
    return f"To make it anew: rm {files} and run what made it: {MADE_BY.rstrip(',')}"
