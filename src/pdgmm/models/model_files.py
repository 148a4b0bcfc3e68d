"""Fitted models on disk: ``model.safetensors`` (arrays) and ``model.json`` (what they mean).

Nothing is ever unpickled. ``model.json`` holds the SHA-256 of the arrays' file and of its own content, so damaged or
mixed-up files are noticed before use. A failed fit leaves the same two files, without arrays but with its status and
reason.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load as parse_tensors
from safetensors.numpy import save as render_tensors

import pdgmm
from pdgmm.errors import FitFailed, UserError
from pdgmm.models import model_class
from pdgmm.models.base import Model
from pdgmm.store.atomic import whole_file
from pdgmm.store.checked_json import read_checked_json, write_checked_json
from pdgmm.store.file_messages import cannot_be_read, quoted

TENSORS = "model.safetensors"
DESCRIPTION = "model.json"
MADE_BY = "snakemake, or `pdgmm fit` for a study of your own data,"
"""The commands that make models; other commands only read them."""

CLAIM = "claims/"
"""The beginning of the names of claims: arrays that the model itself does not need."""


@dataclass(frozen=True)
class FittedModel:
    """A model or the reason why there is none, the notes of its fit, and its claims.

    ``claims`` are named arrays that the fit found besides the latents and that can be scored.
    """

    model: Model | None
    failure: FitFailed | None
    notes: dict[str, Any]
    claims: Mapping[str, np.ndarray] = field(default_factory=dict)

    def usable(self) -> Model:
        """The model; raises the recorded :class:`FitFailed` if the fit failed."""
        if self.model is None:
            raise self.failure or FitFailed("failed", "the model file holds no model")
        return self.model


def save_model(folder: Path, fitted: FittedModel) -> None:
    """Write the two files of ``fitted`` into ``folder``."""
    model = fitted.model
    arrays = model.tensors() if model else {}
    arrays |= {CLAIM + name: array for name, array in fitted.claims.items()}
    # safetensors writes memory in its order: the entries of a transposed view would be mixed up when read again.
    tensors = render_tensors({name: np.ascontiguousarray(array) for name, array in arrays.items()})
    with whole_file(Path(folder) / TENSORS) as temporary:
        temporary.write_bytes(tensors)
    description = {
        "kind": model.kind if model else None,
        "settings": model.settings() if model else None,
        "status": fitted.failure.status if fitted.failure else "ok",
        "reason": fitted.failure.reason if fitted.failure else "",
        "notes": fitted.notes,
        "tensors_sha256": hashlib.sha256(tensors).hexdigest(),
        "pdgmm_version": pdgmm.__version__,
    }
    write_checked_json(Path(folder) / DESCRIPTION, description)


def load_model(folder: Path) -> FittedModel:
    """Read a model; a missing, damaged or other file raises a :class:`UserError` that names it."""
    folder = Path(folder)
    description = _description(folder)
    arrays = _read_tensors(folder / TENSORS, str(description.get("tensors_sha256")))
    claims = {name.removeprefix(CLAIM): arrays.pop(name) for name in list(arrays) if name.startswith(CLAIM)}
    notes = description["notes"]
    if description.get("status") != "ok":
        failure = FitFailed(str(description.get("status")), str(description.get("reason")))
        return FittedModel(None, failure, notes)
    try:
        model = model_class(description["kind"]).restore(description["settings"], arrays)
    except Exception as error:  # the file may contain anything, so anything may be raised here
        raise UserError(
            f"{folder / DESCRIPTION} does not fit its arrays ({error}). {_repair(folder)}"
        ) from error
    return FittedModel(model, None, notes, claims)


def read_notes(folder: Path) -> dict[str, Any]:
    """The notes of a model's fit, read without the arrays of the model."""
    return _description(Path(folder))["notes"]


def _description(folder: Path) -> dict[str, Any]:
    path = folder / DESCRIPTION
    try:
        description = read_checked_json(path, _repair(folder))
    except FileNotFoundError:
        raise UserError(f"{path} does not exist: {MADE_BY} makes it; or check the path") from None
    if not isinstance(description.get("notes"), dict):
        raise UserError(f"{path} is not the description of a model. {_repair(folder)}")
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
        raise UserError(f"{path} does not exist: {MADE_BY} makes it; or check the path") from None
    except OSError as error:
        raise UserError(cannot_be_read(path, error)) from error
    except (SafetensorError, LookupError, TypeError) as error:
        raise UserError(f"{path} is damaged ({error}). {_repair(path.parent)}") from error


def _repair(folder: Path) -> str:
    files = f"{quoted(folder / TENSORS)} {quoted(folder / DESCRIPTION)}"
    return f"To make it again: rm {files} and run what made it: {MADE_BY.rstrip(',')}"
