"""``study.json``: what a study is about, and what must hold of it before anyone uses it."""

import sys
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from pydantic import ValidationError

from pdgmm.analysis.reading.read_options import ReadOptions

FORMAT_VERSION = 1


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


def checked_manifest(content: dict[str, Any]) -> Manifest:
    """The manifest with the entries ``content``; a :class:`ValueError` says what is wrong with them.

    A checksum tells that they are what was written, not that the program which wrote them was this one.
    """
    names = {field.name for field in fields(Manifest)}
    if lacking := names - content.keys():
        raise ValueError(f"it has no {min(lacking)!r}")
    if unknown := content.keys() - names:
        raise ValueError(f"it has an unknown key {min(unknown)!r}")
    manifest = Manifest(**content)
    columns, shape = manifest.columns, manifest.image_shape
    if not isinstance(columns, list) or not columns or not all(isinstance(name, str) for name in columns):
        raise ValueError("its columns are no list of names")
    for name in ("means", "scales"):
        _check_numbers(name, content[name], len(columns))
    if min(manifest.scales) <= 0:
        raise ValueError("one of its scales is not above 0")
    if shape is not None and not (
        isinstance(shape, list) and len(shape) == 3 and all(type(side) is int and side > 0 for side in shape)
    ):
        raise ValueError("its image_shape is not height, width and channels")
    if not all(isinstance(value, dict) for value in (manifest.reading, manifest.options)):
        raise ValueError("its reading or its options are no JSON object")
    try:
        ReadOptions.model_validate(manifest.reading)
    except ValidationError as error:
        first = error.errors()[0]
        raise ValueError(f"reading.{'.'.join(map(str, first['loc']))}: {first['msg']}") from error
    return manifest


def _check_numbers(name: str, values: Any, count: int) -> None:
    if not isinstance(values, list) or len(values) != count:
        raise ValueError(f"its {name} are no list of {count} numbers, one a column")
    # An int may be too large for a float; True is an int to Python.
    if not all(type(value) in (int, float) and abs(value) <= sys.float_info.max for value in values):
        raise ValueError(f"one of its {name} is no finite number")
