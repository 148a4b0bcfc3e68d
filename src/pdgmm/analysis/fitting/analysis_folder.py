"""The folder of an analysis: what is kept in it, and whose it is.

``study.json`` says what was fitted to what; ``fits/`` has the estimators, ``diagnostics.json`` the answers,
``latents.csv`` the latents, ``figures/`` and ``report.html`` what people look at. Every JSON file holds its own
checksum: what is read has been checked twice, against damage and by type.
"""

import hashlib
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Literal, Self, TypeVar

import numpy as np
from pydantic import Field, PositiveFloat, ValidationError, model_validator

import pdgmm
from pdgmm.analysis.answers import Answers, Count, Part
from pdgmm.analysis.fitting.fitted_chain import FittedChain, load_chain, part_folders, save_chain
from pdgmm.analysis.fitting.saved_estimator import ENCODERS, are_saved, load_estimator, save_estimator
from pdgmm.analysis.options import AnalysisOptions, ReadOptions
from pdgmm.analysis.reading.own_data import OwnData
from pdgmm.errors import UserError
from pdgmm.estimator import PDGMM
from pdgmm.settings import canonical_json, short_hash
from pdgmm.store.checked_json import read_checked_json, write_checked_json
from pdgmm.store.file_messages import cannot_be_read, quoted

REFERENCE, AFFINE = "reference", "affine"
"""Names of fits: the one that the latents come from, and one without a flow to compare it with."""

Fit = PDGMM | FittedChain
"""The estimator or, in an analysis with a named method, that method."""

Model = TypeVar("Model", bound=Part)


class Manifest(Part):
    """What an analysis is about. Columns are standardised before they are fitted: ``(x - means) / scales``."""

    format_version: Literal[1] = 1
    pdgmm_version: str = pdgmm.__version__
    file: str
    key: str
    """A hash of the data and the options: folders with another one belong to something else."""
    columns: list[str] = Field(min_length=1)
    means: list[float]
    scales: list[PositiveFloat]
    image_shape: tuple[int, int, int] | None
    reading: ReadOptions
    options: AnalysisOptions
    domains: list[str] = []
    """Names of the domains, numbered from 0 in this order."""

    @model_validator(mode="after")
    def _one_a_column(self) -> Self:
        if not len(self.columns) == len(self.means) == len(self.scales):
            raise ValueError("every column needs a mean and a scale")
        return self

    def standardised(self, values: np.ndarray) -> np.ndarray:
        """Rows (samples, columns) as the estimators see them."""
        return (values.astype(np.float64) - self.means) / self.scales

    def restored(self, rows: np.ndarray) -> np.ndarray:
        """Rows in the units of the file."""
        return rows * self.scales + self.means


class AnalysisFolder:
    """The files of one analysis."""

    def __init__(self, path: Path) -> None:
        self.path = Path(path)
        self.latents = self.path / "latents.csv"
        self.figures = self.path / "figures"
        self.diagnostics = self.path / "diagnostics.json"
        self._manifest = self.path / "study.json"
        self._fits = self.path / "fits"
        self._count = self._fits / "count.json"
        self._fit_again = (
            f"Run the same `pdgmm fit … --out {quoted(self.path)}` again, which keeps the finished fits"
        )

    def check_usable(self) -> None:
        """A :class:`UserError` where no folder can be, before any data are read."""
        try:
            taken = self.path.exists() and not self.path.is_dir()
        except PermissionError as error:
            raise UserError(cannot_be_read(self.path, error)) from error
        if taken:
            raise UserError(f"--out {self.path} is a file, and a study is a folder: choose another name")

    def begin(self, path: Path, data: OwnData, reading: ReadOptions, options: AnalysisOptions) -> Manifest:
        """Say whose folder this is, or find that it is the same analysis; another one is a :class:`UserError`."""
        scales = data.values.std(0, dtype=np.float64)
        # A pixel may be the same in all images.
        scales[scales == 0] = 1.0
        digest = hashlib.sha256(np.ascontiguousarray(data.values)).hexdigest()
        # Left out where they are not given, so that folders from before there were such options keep their key.
        given = {name for name in ("method", "domain_column") if getattr(options, name) is None}
        identity = [digest, options.model_dump(mode="json", exclude=given), 1]
        if data.domains is not None:
            identity += [list(data.domains.names), hashlib.sha256(data.domains.u).hexdigest()]
        manifest = Manifest(
            file=str(path),
            key=short_hash(canonical_json(identity)),
            columns=list(data.columns),
            means=data.values.mean(0, dtype=np.float64).tolist(),
            scales=scales.tolist(),
            image_shape=data.image_shape,
            reading=reading,
            options=options,
            domains=list(data.domains.names) if data.domains is not None else [],
        )
        if self.path.exists() and any(self.path.iterdir()):
            if not self._manifest.exists():
                raise UserError(f"{self.path} is not empty and holds no study: choose another --out")
            if self.manifest().key != manifest.key:
                raise UserError(
                    f"{self.path} holds a study of other data or with other options: choose another --out, or "
                    f"remove it first (rm -r {quoted(self.path)})"
                )
        write_model(self._manifest, manifest)
        return manifest

    def manifest(self) -> Manifest:
        """What the analysis in the folder is about."""
        repair = f"Choose another --out, or remove the folder (rm -r {quoted(self.path)}) and fit again"
        found = read_model(Manifest, self._manifest, repair)
        if found is None:
            raise UserError(f"{self.path} holds no study: make one with `pdgmm fit FILE --out {self.path}`")
        return found

    def answers(self) -> Answers:
        """All the answers of a finished analysis."""
        found = read_model(Answers, self.diagnostics, self._fit_again)
        if found is None:
            self.manifest()  # a folder without any study is another mistake
            raise UserError(f"{self.diagnostics} is missing: no study was finished here. {self._fit_again}")
        return found

    def counted(self, count: Callable[[], Count]) -> Count:
        """How many latents there are: from the folder where that is known, found and kept where it is not."""
        repair = (
            f"To find it again: rm {quoted(self._count)} and run the same `pdgmm fit`, which keeps the fits"
        )
        found = read_model(Count, self._count, repair)
        if found is None:
            found = count()
            write_model(self._count, found)
        return found

    @property
    def has_count(self) -> bool:
        """Whether the number of latents is known."""
        return self._count.exists()

    def fitted(self, name: str, shape: tuple[int, int], fit: Callable[[], Fit]) -> Fit:
        """The fit ``name``: from the folder where it is whole, fitted and kept where it is not.

        One that is not of the ``shape`` (columns, latents) belongs to something else and is fitted again.
        """
        if self.has_fit(name):
            kept = self._load(name)
            if (kept.n_features_in_, kept.n_latents_) == shape:
                return kept
        found = fit()
        if isinstance(found, FittedChain):
            save_chain(self._fits / name, self._chain, found)
        else:
            save_estimator(self._fits / name, found)
        return found

    def has_fit(self, name: str) -> bool:
        """Whether all files of the fit ``name`` are there."""
        folder = self._fits / name
        return are_saved(part_folders(folder, self._chain) or [folder / part for part in ENCODERS])

    @cached_property
    def _chain(self) -> list[str]:
        """The methods that are fitted; empty: the estimator."""
        return self.manifest().options.chain

    def _load(self, name: str) -> Fit:
        folder = self._fits / name
        return load_chain(folder, self._chain) if self._chain else load_estimator(folder)

    def reference(self, n_columns: int) -> Fit:
        """The fit that the latents come from, which must be one of ``n_columns`` columns."""
        folder = self._fits / REFERENCE
        estimator = self._load(REFERENCE)
        if estimator.n_features_in_ != n_columns:
            raise UserError(
                f"{folder} was fitted to {estimator.n_features_in_} columns and {self._manifest} names {n_columns}: "
                f"they do not belong together. {self._fit_again}"
            )
        return estimator


def write_model(path: Path, model: Part) -> None:
    """Write the model, whole or not at all."""
    write_checked_json(path, model.model_dump(mode="json", by_alias=True))


def read_model(kind: type[Model], path: Path, repair: str) -> Model | None:
    """The model of this ``kind`` in ``path``, None where no file is; else a :class:`UserError` that ends with the
    words ``repair``."""
    try:
        return kind.model_validate(read_checked_json(path, repair))
    except FileNotFoundError:
        return None
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "its content"
        raise UserError(f"{path} cannot be used ({place}: {first['msg']}). {repair}") from error
