"""The folder of an analysis: what is kept in it, and whose it is.

``study.json`` says what was fitted to what; ``fits/`` has the estimators, ``diagnostics.json`` the answers,
``latents.csv`` the latents, ``figures/`` and ``report.html`` what people look at. Every JSON file holds its own
checksum.
"""

import hashlib
from collections.abc import Callable
from pathlib import Path

import numpy as np

from pdgmm.analysis.answers import Answers, Count
from pdgmm.analysis.checked_models import read_model, write_model
from pdgmm.analysis.fitting.analysis_options import AnalysisOptions
from pdgmm.analysis.fitting.manifest import Manifest
from pdgmm.analysis.fitting.saved_estimator import is_saved, load_estimator, save_estimator
from pdgmm.analysis.reading.own_data import OwnData
from pdgmm.analysis.reading.read_options import ReadOptions
from pdgmm.errors import UserError
from pdgmm.estimator import PDGMM
from pdgmm.settings import canonical_json, short_hash
from pdgmm.store.file_messages import cannot_be_read, quoted

REFERENCE, AFFINE = "reference", "affine"
"""Names of fits: the one that the latents come from, and one without a flow to compare it with."""


class AnalysisFolder:
    """The files of one analysis."""

    def __init__(self, path: Path) -> None:
        self.path = Path(path)
        self.latents = self.path / "latents.csv"
        self.figures = self.path / "figures"
        self._answers = self.path / "diagnostics.json"
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
        manifest = Manifest(
            file=str(path),
            key=short_hash(canonical_json([digest, options.model_dump(mode="json"), 1])),
            columns=list(data.columns),
            means=data.values.mean(0, dtype=np.float64).tolist(),
            scales=scales.tolist(),
            image_shape=data.image_shape,
            reading=reading,
            options=options,
        )
        if self.path.exists() and any(self.path.iterdir()):
            if self._manifest.exists():
                kept = self.manifest()
            else:
                raise UserError(f"{self.path} is not empty and holds no study: choose another --out")
            if kept.key != manifest.key:
                raise UserError(
                    f"{self.path} holds a study of other data or with other options: choose another --out, or "
                    f"remove it first (rm -r {quoted(self.path)})"
                )
        write_model(self._manifest, manifest)
        return manifest

    def manifest(self) -> Manifest:
        """What the analysis in the folder is about."""
        repair = f"Choose another --out, or remove the folder (rm -r {quoted(self.path)}) and fit again"
        try:
            return read_model(Manifest, self._manifest, repair)
        except FileNotFoundError:
            raise UserError(
                f"{self.path} holds no study: make one with `pdgmm fit FILE --out {self.path}`"
            ) from None

    def write_answers(self, answers: Answers) -> None:
        """Keep the answers of a finished analysis."""
        write_model(self._answers, answers)

    def answers(self) -> Answers:
        """All the answers of a finished analysis."""
        try:
            return read_model(Answers, self._answers, self._fit_again)
        except FileNotFoundError:
            raise UserError(
                f"{self._answers} is missing: no study was finished here. {self._fit_again}"
            ) from None

    def counted(self, count: Callable[[], Count]) -> Count:
        """How many latents there are: from the folder where that is known, found and kept where it is not."""
        repair = (
            f"To find it again: rm {quoted(self._count)} and run the same `pdgmm fit`, which keeps the fits"
        )
        try:
            return read_model(Count, self._count, repair)
        except FileNotFoundError:
            found = count()
        write_model(self._count, found)
        return found

    @property
    def has_count(self) -> bool:
        """Whether the number of latents is known."""
        return self._count.exists()

    def fitted(self, name: str, shape: tuple[int, int], fit: Callable[[], PDGMM]) -> PDGMM:
        """The estimator ``name``: from the folder where it is whole, fitted and kept where it is not.

        One that is not of the ``shape`` (columns, latents) belongs to something else and is fitted again.
        """
        if self.has_fit(name):
            kept = load_estimator(self._fits / name)
            if (kept.n_features_in_, kept.n_latents_) == shape:
                return kept
        estimator = fit()
        save_estimator(self._fits / name, estimator)
        return estimator

    def has_fit(self, name: str) -> bool:
        """Whether all files of the estimator ``name`` are there."""
        return is_saved(self._fits / name)

    def reference(self, n_columns: int) -> PDGMM:
        """The fit that the latents come from, which must be one of ``n_columns`` columns."""
        folder = self._fits / REFERENCE
        estimator = load_estimator(folder)
        if estimator.n_features_in_ != n_columns:
            raise UserError(
                f"{folder} was fitted to {estimator.n_features_in_} columns and {self._manifest} names {n_columns}: "
                f"they do not belong together. {self._fit_again}"
            )
        return estimator
