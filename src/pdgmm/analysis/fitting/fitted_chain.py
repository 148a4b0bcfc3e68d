"""A fitted chain of methods, in use and on disk: what an analysis needs of an estimator, for any method.

A folder holds one model a method, ``1-flow/``, ``2-spike_slab/``, which :mod:`pdgmm.models.model_files` writes. The
notes of the last one hold the numbers of columns and latents.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from pdgmm.catalogue import JOINT
from pdgmm.errors import UserError
from pdgmm.models.base import Model
from pdgmm.models.model_files import FittedModel, load_model, save_model

NOTE = "chain"


class FittedChain:
    """Models, each of the code of the one before, from ``n_features_in_`` columns to ``n_latents_`` latents.

    ``u`` (rows,) are the domains of the rows; they are only used where ``sees_domains``.
    """

    def __init__(self, models: Sequence[Model], n_features_in_: int) -> None:
        self.models = tuple(models)
        self.n_features_in_ = n_features_in_
        self.sees_domains = any("u" in model.sees for model in models)
        one = np.zeros((1, n_features_in_))
        self.n_latents_ = self.transform(one, np.zeros(1, np.int64)).shape[1]

    def transform(self, x: np.ndarray, u: np.ndarray | None = None) -> np.ndarray:
        """The latents (rows, n_latents_) of ``x`` (rows, columns)."""
        code = np.asarray(x, dtype=np.float32)
        for model in self.models:
            code = encoded(model, code, u)
        return code.astype(np.float64)

    def inverse_transform(self, z: np.ndarray) -> np.ndarray:
        """The observations (rows, columns) with the latents ``z``; a :class:`UserError` if a model has no decoder."""
        code = np.asarray(z, dtype=np.float32)
        for model in reversed(self.models):
            code = model.decode(code)
        return code.astype(np.float64)

    @property
    def decodes(self) -> bool:
        """Whether latents alone give the observations: every model has a decoder, and none needs the domain."""
        try:
            self.inverse_transform(np.zeros((1, self.n_latents_)))
        except UserError:
            return False
        return not self.sees_domains


def encoded(model: Model, x: np.ndarray, u: np.ndarray | None) -> np.ndarray:
    """The code of one model, which is told the domains ``u`` if it asks for them."""
    return model.encode(x, **({"u": u} if "u" in model.sees else {}))


def part_folders(folder: Path, names: Sequence[str]) -> list[Path]:
    """Where the models of a chain of methods with these names are kept."""
    return [Path(folder) / f"{place}-{name}" for place, name in enumerate(names, start=1)]


def save_chain(folder: Path, names: Sequence[str], chain: FittedChain) -> None:
    """Write a fitted chain into ``folder``; the model with the notes comes last."""
    notes = {NOTE: {"columns": chain.n_features_in_, "latents": chain.n_latents_}}
    for part, model in zip(part_folders(folder, names), chain.models, strict=True):
        save_model(part, FittedModel(model, None, notes if model is chain.models[-1] else {}))


def load_chain(folder: Path, names: Sequence[str]) -> FittedChain:
    """Read a fitted chain; a missing, damaged or foreign folder is a :class:`UserError` that names it."""
    kept = [load_model(part) for part in part_folders(folder, names)]
    try:
        said = kept[-1].notes[NOTE]
        # Encodes a row, so models that do not fit together are noticed here.
        chain = FittedChain([each.usable() for each in kept], said["columns"])
        if chain.n_latents_ != said["latents"]:
            raise ValueError(f"it gives {chain.n_latents_} latents and says {said['latents']}")
    except Exception as error:  # what was written by something else may raise anything
        raise UserError(
            f"{folder} is damaged or holds no fit of {JOINT.join(names)} ({type(error).__name__}: {error}): "
            "remove it and fit again"
        ) from error
    return chain
