"""The folder of a study: what is kept in it, and whose it is.

``study.json`` says what was fitted to what; ``fits/`` has the estimators, ``diagnostics.json`` the answers,
``latents.csv`` the latents, ``figures/`` and ``report.html`` what people look at.
"""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import pdgmm
from pdgmm.errors import UserError
from pdgmm.estimator import PDGMM
from pdgmm.own_data.options import ReadOptions
from pdgmm.own_data.reading import OwnData
from pdgmm.own_study.options import StudyOptions
from pdgmm.settings import canonical_json, short_hash
from pdgmm.store.atomic import write_json
from pdgmm.store.estimators import load_estimator, save_estimator

FORMAT_VERSION = 1
REFERENCE, AFFINE = "reference", "affine"
"""Names of fits: the one that the latents come from, and one without a flow to compare it with."""


@dataclass(frozen=True)
class Manifest:
    """What a study is about. Columns are standardised before they are fitted: ``(x - means) / scales``."""

    file: str
    key: str
    columns: list[str]
    means: list[float]
    scales: list[float]
    image_shape: list[int] | None
    reading: dict[str, Any]
    options: dict[str, Any]

    def standardised(self, values: np.ndarray) -> np.ndarray:
        """Rows (samples, columns) as the estimators see them."""
        return (values.astype(np.float64) - self.means) / self.scales

    def restored(self, rows: np.ndarray) -> np.ndarray:
        """Rows in the units of the file."""
        return rows * self.scales + self.means


class StudyFolder:
    """The files of one study."""

    def __init__(self, path: Path) -> None:
        self.path = Path(path)

    def check_usable(self) -> None:
        """A :class:`UserError` where no folder can be, before any data are read."""
        if self.path.exists() and not self.path.is_dir():
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
        if self._manifest.exists():
            if self.manifest().key != manifest.key:
                raise UserError(
                    f"{self.path} holds a study of other data or with other options: choose another --out, or "
                    f"remove it first (rm -r '{self.path}')"
                )
        elif self.path.exists() and any(self.path.iterdir()):
            raise UserError(f"{self.path} is not empty and holds no study: choose another --out")
        else:
            about = {"format_version": FORMAT_VERSION, "pdgmm_version": pdgmm.__version__}
            write_json(self._manifest, about | vars(manifest))
        return manifest

    def manifest(self) -> Manifest:
        """What the study in the folder is about."""
        try:
            content = json.loads(self._manifest.read_text(encoding="utf-8"))
            version, program = content.pop("format_version"), content.pop("pdgmm_version")
            if version == FORMAT_VERSION:
                return Manifest(**content)
        except (FileNotFoundError, NotADirectoryError):
            raise UserError(
                f"{self.path} holds no study: make one with `pdgmm fit FILE --out {self.path}`"
            ) from None
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise UserError(
                f"{self._manifest} is damaged ({error}): fit the data again into another folder"
            ) from error
        raise UserError(
            f"{self._manifest} has format version {version!r} (written by pdgmm {program}), this program reads "
            f"version {FORMAT_VERSION}: fit the data again into another folder"
        )

    def fitted(self, name: str, fit: Callable[[], PDGMM]) -> PDGMM:
        """The estimator ``name``: from the folder where it is whole, fitted and kept where it is not."""
        folder = self.path / "fits" / name
        if self.has_fit(name):
            return load_estimator(folder)
        estimator = fit()
        save_estimator(folder, estimator)
        return estimator

    def answered(self, name: str, answer: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """The part ``name`` of the answers: from the folder where it is there, found and kept where it is not."""
        if not self.has_answer(name):
            write_json(self._answer(name), answer())
        return json.loads(self._answer(name).read_text(encoding="utf-8"))

    def has_fit(self, name: str) -> bool:
        """Whether the estimator ``name`` is there and whole: its last file is."""
        return (self.path / "fits" / name / "unmixing" / "model.json").exists()

    def has_answer(self, name: str) -> bool:
        """Whether the part ``name`` of the answers is there."""
        return self._answer(name).exists()

    def reference(self) -> PDGMM:
        """The fit that the latents come from."""
        return load_estimator(self.path / "fits" / REFERENCE)

    def _answer(self, name: str) -> Path:
        return self.path / "fits" / f"{name}.json"

    @property
    def _manifest(self) -> Path:
        return self.path / "study.json"
