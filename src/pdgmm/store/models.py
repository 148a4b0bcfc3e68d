"""Fitted encoders on disk: ``model.safetensors`` (arrays) and ``model.json`` (what they mean).

Nothing is ever unpickled. ``model.json`` holds the SHA-256 of the arrays' file, so a damaged or mixed-up pair
is noticed before use. A fit that failed leaves the same two files: no arrays, and its status and reason.
"""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load as parse_tensors
from safetensors.numpy import save as render_tensors

import pdgmm
from pdgmm.encoders import KINDS, encoder_class
from pdgmm.encoders.base import Encoder
from pdgmm.errors import FitFailed, UserError
from pdgmm.store.atomic import whole_file, write_json

FORMAT_VERSION = 1
TENSORS = "model.safetensors"
DESCRIPTION = "model.json"


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
    write_json(Path(folder) / DESCRIPTION, description)


def load_model(folder: Path) -> FittedModel:
    """Read a model; a missing, damaged or foreign file is a :class:`UserError` that names it."""
    folder = Path(folder)
    description = _read_description(folder / DESCRIPTION)
    if description.get("format_version") != FORMAT_VERSION:
        raise UserError(
            f"{folder / DESCRIPTION} has format version {description.get('format_version')!r}, "
            f"this program reads version {FORMAT_VERSION}. {_repair(folder)}"
        )
    tensors = _read_tensors(folder / TENSORS, str(description.get("tensors_sha256")))
    if description.get("status") != "ok":
        failure = FitFailed(str(description.get("status")), str(description.get("reason")))
        return FittedModel(None, failure, description.get("notes", {}))
    kind = description.get("kind")
    if kind not in KINDS:
        raise UserError(
            f"{folder / DESCRIPTION}: unknown kind {kind!r}, known are {', '.join(sorted(KINDS))}"
        )
    try:
        encoder = encoder_class(kind).restore(description["settings"], tensors)
    except (KeyError, TypeError, ValueError, RuntimeError) as error:
        raise UserError(
            f"{folder / DESCRIPTION} does not fit its arrays ({error}). {_repair(folder)}"
        ) from error
    return FittedModel(encoder, None, description.get("notes", {}))


def read_notes(folder: Path) -> dict[str, Any]:
    """What the fit of a model noted about itself, without the arrays of the model."""
    return _read_description(Path(folder) / DESCRIPTION).get("notes", {})


def _read_description(path: Path) -> dict[str, Any]:
    try:
        description = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(f"{path} does not exist: run snakemake to make it, or check the path") from None
    except (OSError, ValueError) as error:
        raise UserError(f"{path} is damaged ({error}). {_repair(path.parent)}") from error
    if not isinstance(description, dict):
        raise UserError(f"{path} is damaged (no JSON object). {_repair(path.parent)}")
    return description


def _read_tensors(path: Path, sha256: str) -> dict[str, Any]:
    try:
        raw = path.read_bytes()
        if hashlib.sha256(raw).hexdigest() != sha256:
            raise UserError(
                f"{path} is damaged (its checksum is not the one in {DESCRIPTION}). {_repair(path.parent)}"
            )
        return parse_tensors(raw)
    except FileNotFoundError:
        raise UserError(f"{path} does not exist: run snakemake to make it, or check the path") from None
    except (OSError, SafetensorError) as error:
        raise UserError(f"{path} is damaged ({error}). {_repair(path.parent)}") from error


def _repair(folder: Path) -> str:
    return f"To make it anew: rm '{folder / TENSORS}' '{folder / DESCRIPTION}' and run the same command again"
