"""The folder of a study: what is kept in it, and whose it is.

``study.json`` says what was fitted to what; ``fits/`` has the estimators, ``diagnostics.json`` the answers,
``latents.csv`` the latents, ``figures/`` and ``report.html`` what people look at. Every JSON file holds its own
checksum.
"""

import contextlib
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import pdgmm
from pdgmm.errors import UserError
from pdgmm.estimator import PDGMM
from pdgmm.analysis.reading.read_options import ReadOptions
from pdgmm.analysis.reading.own_data import OwnData
from pdgmm.analysis.fitting.manifest import FORMAT_VERSION, Manifest, checked_manifest
from pdgmm.analysis.fitting.analysis_options import StudyOptions
from pdgmm.analysis.fitting.ownership import KEY, check_owner
from pdgmm.settings import canonical_json, short_hash
from pdgmm.store.checked_json import (
    CHECKSUM,
    check_content,
    read_checked_json,
    read_json_object,
    write_checked_json,
)
from pdgmm.analysis.fitting.saved_estimator import ENCODERS, load_estimator, save_estimator
from pdgmm.store.models import DESCRIPTION, TENSORS
from pdgmm.store.shell_quotes import quoted
from pdgmm.store.unreadable import cannot_be_read

REFERENCE, AFFINE = "reference", "affine"
"""Names of fits: the one that the latents come from, and one without a flow to compare it with."""


class StudyFolder:
    """The files of one study."""

    def __init__(self, path: Path) -> None:
        self.path = Path(path)

    def check_usable(self) -> None:
        """A :class:`UserError` where no folder can be, before any data are read."""
        try:
            taken = self.path.exists() and not self.path.is_dir()
        except PermissionError as error:
            raise UserError(cannot_be_read(self.path, error)) from error
        if taken:
            raise UserError(f"--out {self.path} is a file, and a study is a folder: choose another name")

    @property
    def diagnostics(self) -> Path:
        """The answers, as JSON."""
        return self.path / "diagnostics.json"

    @property
    def latents(self) -> Path:
        """The latents of the rows that were read."""
        return self.path / "latents.csv"

    def begin(self, path: Path, data: OwnData, reading: ReadOptions, options: StudyOptions) -> Manifest:
        """Say whose folder this is, or find that it is the very same study; another one is a :class:`UserError`."""
        means, scales = data.values.mean(0, dtype=np.float64), data.values.std(0, dtype=np.float64)
        # A pixel may be the same in all images.
        scales[scales == 0] = 1.0
        digest = hashlib.sha256(np.ascontiguousarray(data.values)).hexdigest()
        manifest = Manifest(
            file=str(path),
            key=short_hash(canonical_json([digest, options.model_dump(mode="json"), FORMAT_VERSION])),
            columns=list(data.columns),
            means=means.tolist(),
            scales=scales.tolist(),
            image_shape=None if data.image_shape is None else list(data.image_shape),
            reading=reading.model_dump(mode="json"),
            options=options.model_dump(mode="json"),
        )
        check_owner(self.path, [self._manifest, *sorted(self._fits.glob("*.json"))], manifest.key)
        # Written each time: that mends a damaged one, or one of an earlier version, and the fits are kept.
        about = {"format_version": FORMAT_VERSION, "pdgmm_version": pdgmm.__version__}
        write_checked_json(self._manifest, about | vars(manifest))
        return manifest

    def manifest(self) -> Manifest:
        """What the study in the folder is about."""
        try:
            content = read_checked_json(self._manifest, self._fit_again)
        except FileNotFoundError:
            raise UserError(
                f"{self.path} holds no study: make one with `pdgmm fit FILE --out {self.path}`"
            ) from None
        version, program = content.pop("format_version", None), content.pop("pdgmm_version", None)
        if version != FORMAT_VERSION:
            raise UserError(
                f"{self._manifest} has format version {version!r} (written by pdgmm {program}), this program reads "
                f"version {FORMAT_VERSION}: fit the data again into another folder"
            )
        try:
            return checked_manifest(content)
        except ValueError as error:
            raise UserError(
                f"{self._manifest} cannot be used ({error}; written by pdgmm {program}). {self._fit_again}"
            ) from error

    def answers(self) -> dict[str, Any]:
        """All the answers of a finished study."""
        try:
            return read_checked_json(self.diagnostics, self._fit_again)
        except FileNotFoundError:
            raise UserError(
                f"{self.diagnostics} is missing: no study was finished here. {self._fit_again}"
            ) from None

    def fitted(self, name: str, shape: tuple[int, int], fit: Callable[[], PDGMM]) -> PDGMM:
        """The estimator ``name``: from the folder where it is whole, fitted and kept where it is not.

        One that is not of the ``shape`` (columns, latents) belongs to something else and is fitted again.
        """
        folder = self._fits / name
        if self.has_fit(name):
            kept = load_estimator(folder)
            if (kept.n_features_in_, kept.n_latents_) == shape:
                return kept
        estimator = fit()
        # What is left of another fit must not make a whole one with half of this: the last file goes first. Where
        # it cannot be removed, the next line cannot write, and says so.
        with contextlib.suppress(OSError):
            (folder / list(ENCODERS)[-1] / DESCRIPTION).unlink()
        save_estimator(folder, estimator)
        return estimator

    def answered(self, name: str, key: str, answer: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """The part ``name`` of the answers: from the folder where it is there, found and kept where it is not.

        ``key`` is that of the study: the file vouches for the fits beside it where ``study.json`` cannot.
        """
        if not self.has_answer(name):
            write_checked_json(self._answer(name), {KEY: key, "answer": answer()})
        return self._kept_answer(name)

    def has_fit(self, name: str) -> bool:
        """Whether all files of the estimator ``name`` are there."""
        files = [self._fits / name / part / file for part in ENCODERS for file in (TENSORS, DESCRIPTION)]
        return all(file.exists() for file in files)

    def has_answer(self, name: str) -> bool:
        """Whether the part ``name`` of the answers is there; one without a checksum does not count."""
        return self._kept_answer(name) is not None

    def reference(self, n_columns: int) -> PDGMM:
        """The fit that the latents come from, which must be one of ``n_columns`` columns."""
        folder = self._fits / REFERENCE
        estimator = load_estimator(folder)
        if estimator.n_features_in_ != n_columns:
            raise UserError(
                f"{folder} was fitted to {estimator.n_features_in_} columns and {self._manifest} names {n_columns}: "
                f"they are not of one study. {self._fit_again}"
            )
        return estimator

    def _kept_answer(self, name: str) -> dict[str, Any] | None:
        path = self._answer(name)
        repair = (
            f"To find it again: rm {quoted(path)} and run the same `pdgmm fit`, which keeps the finished fits"
        )
        try:
            content = read_json_object(path, repair)
        except FileNotFoundError:
            return None
        check_content(path, content, repair)
        answer = content.get("answer")
        return answer if CHECKSUM in content and isinstance(answer, dict) else None

    def _answer(self, name: str) -> Path:
        return self._fits / f"{name}.json"

    @property
    def _fits(self) -> Path:
        return self.path / "fits"

    @property
    def _manifest(self) -> Path:
        return self.path / "study.json"

    @property
    def _fit_again(self) -> str:
        return (
            f"Run the same `pdgmm fit … --out {quoted(self.path)}` again: it writes this file anew and keeps the "
            f"finished fits"
        )
