"""Fitted :class:`pdgmm.PDGMM` estimators on disk: both of its encoders as models, without pickle.

A folder holds ``straightening/`` and ``unmixing/``, two models that :mod:`pdgmm.models.model_files` writes; the notes
of the second one hold what else was learned. Nothing in the files is trusted: only names that an estimator may have
are set, and what is read must fit together before anyone uses it.
"""

import re
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from pdgmm.errors import UserError
from pdgmm.estimator import PDGMM
from pdgmm.models.model_files import DESCRIPTION, TENSORS, FittedModel, load_model, save_model

ENCODERS = {"straightening": "_straightening", "unmixing": "_unmixing"}
"""The parts of an estimator, and its attributes that hold them."""

NOTE = "estimator"
VERSION = 1
LEARNED = re.compile(r"[a-z][a-z0-9_]*_")
"""How scikit-learn names what was learned."""

PRIVATE = {"_mixture", "_n_features_out", "_patterns", "_prior", "_residual_variance"}
KINDS = "biufUO"
"""Kinds of arrays: numbers, and texts for names of columns."""

MOST_COLUMNS = 10**6
"""More than any table has: a damaged number must not ask for all of the memory."""


def save_estimator(folder: Path, fitted: PDGMM) -> None:
    """Write a fitted estimator into ``folder``."""
    state = {key: value for key, value in vars(fitted).items() if key not in ENCODERS.values()}
    notes = {NOTE: {"version": VERSION, "state": {key: _to_json(value) for key, value in state.items()}}}
    # The one with the notes last: a folder that has it is whole.
    for name, attribute in ENCODERS.items():
        note = notes if name == "unmixing" else {}
        save_model(Path(folder) / name, FittedModel(getattr(fitted, attribute), None, note))


def are_saved(models: Iterable[Path]) -> bool:
    """Whether all files of these models are there."""
    return all((folder / file).exists() for folder in models for file in (TENSORS, DESCRIPTION))


def load_estimator(folder: Path) -> PDGMM:
    """Read a fitted estimator; a missing, damaged or foreign folder is a ``UserError`` that names it."""
    models = {name: load_model(Path(folder) / name) for name in ENCODERS}
    saved = models["unmixing"].notes.get(NOTE)
    version = saved.get("version") if isinstance(saved, dict) else None
    if version != VERSION:
        raise UserError(
            f"{folder} holds no estimator of version {VERSION} (it says {version!r}): fit it again with this version"
        )
    try:
        fitted = _restored(saved["state"])
        for name, attribute in ENCODERS.items():
            setattr(fitted, attribute, models[name].usable())
        _check(fitted)
    except Exception as error:  # a state that is not one of ours may raise anything
        raise UserError(
            f"{folder} is damaged or holds no estimator of ours ({type(error).__name__}: {error}): remove it and fit "
            "again"
        ) from error
    return fitted


def _restored(state: dict[str, Any]) -> PDGMM:
    """An estimator with the saved values, none of which may take the place of a method."""
    fitted = PDGMM()
    parameters = fitted.get_params(deep=False).keys()
    for key, value in state.items():
        learned = key in PRIVATE or (LEARNED.fullmatch(key) and not hasattr(PDGMM, key))
        if not learned and key not in parameters:
            raise ValueError(f"it holds {key!r}, which no estimator has")
        setattr(fitted, key, _from_json(value))
    return fitted


def _check(fitted: PDGMM) -> None:
    """Raises where the parts do not fit together: both encoders, the prior of the latents, and the numbers."""
    columns, latents = fitted.n_features_in_, fitted.n_latents_
    if not all(type(number) is int and 1 <= number <= MOST_COLUMNS for number in (columns, latents)):
        raise ValueError(f"{latents!r} latents of {columns!r} columns")
    found, across, _ = fitted._latents(np.zeros((1, columns)))
    names = getattr(fitted, "feature_names_in_", np.array([""] * columns))
    shapes = [found.shape[1:], *(values.shape for values in fitted._prior.values())]
    if (
        shapes != [(latents,)] * 6
        or across.shape[1:] != fitted._residual_variance.shape
        or len(names) != columns
    ):
        raise ValueError(f"its parts do not fit to {latents} latents of {columns} columns")
    # Uses everything else that was read.
    with warnings.catch_warnings(action="ignore"):
        fitted.score_samples(np.zeros((1, columns)))


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
        kind = np.dtype(value["dtype"])
        if kind.kind not in KINDS:
            raise ValueError(f"an array of {value['dtype']!r}")
        return np.array(value["array"], dtype=kind)
    if isinstance(value, dict) and value.keys() == {"dict"}:
        return {key: _from_json(item) for key, item in value["dict"].items()}
    return value
