"""Fitted :class:`pdgmm.PDGMM` estimators on disk: both of its encoders as models, without pickle.

A folder holds ``straightening/`` and ``unmixing/``, two models as :mod:`pdgmm.store.models` writes them; the second
one's notes hold what else was learned.
"""

from pathlib import Path
from typing import Any

import numpy as np

from pdgmm.errors import UserError
from pdgmm.estimator import PDGMM
from pdgmm.store.models import FittedModel, load_model, save_model

ENCODERS = {"straightening": "_straightening", "unmixing": "_unmixing"}
"""The parts of an estimator, and its attributes that hold them."""

NOTE = "estimator"
VERSION = 1


def save_estimator(folder: Path, fitted: PDGMM) -> None:
    """Write a fitted estimator into ``folder``."""
    state = {key: value for key, value in vars(fitted).items() if key not in ENCODERS.values()}
    notes = {NOTE: {"version": VERSION, "state": {key: _to_json(value) for key, value in state.items()}}}
    # The one with the notes last: a folder that has it is whole.
    for name, attribute in ENCODERS.items():
        note = notes if name == "unmixing" else {}
        save_model(Path(folder) / name, FittedModel(getattr(fitted, attribute), None, note))


def load_estimator(folder: Path) -> PDGMM:
    """Read a fitted estimator; a missing, damaged or foreign folder is a :class:`UserError` that names it."""
    models = {name: load_model(Path(folder) / name) for name in ENCODERS}
    saved = models["unmixing"].notes.get(NOTE)
    if not isinstance(saved, dict) or saved.get("version") != VERSION:
        found = saved.get("version") if isinstance(saved, dict) else None
        raise UserError(
            f"{folder} holds no estimator of version {VERSION} (it says {found!r}): fit it again with this version"
        )
    fitted = PDGMM()
    for key, value in saved["state"].items():
        setattr(fitted, key, _from_json(value))
    for name, attribute in ENCODERS.items():
        setattr(fitted, attribute, models[name].usable())
    return fitted


def _to_json(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return {"array": value.tolist(), "dtype": value.dtype.str}
    if isinstance(value, dict):
        return {"dict": {key: _to_json(item) for key, item in value.items()}}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.random.RandomState):
        return None  # has done its work
    return value


def _from_json(value: Any) -> Any:
    if isinstance(value, dict) and value.keys() == {"array", "dtype"}:
        return np.array(value["array"], dtype=value["dtype"])
    if isinstance(value, dict) and value.keys() == {"dict"}:
        return {key: _from_json(item) for key, item in value["dict"].items()}
    return value
