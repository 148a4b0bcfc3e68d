"""Arrays with a row per sample as tables or images: NumPy's, memory-mapped, of HDF5, or sparse matrices."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pdgmm.analysis.reading.source import block_rows, picked
from pdgmm.errors import UserError

MOST_CHANNELS = 4


def image_shape(shape: tuple[int, ...], where: str | Path) -> tuple[int, int, int] | None:
    """None for a table (rows, columns); (height, width, channels) for images (rows, height, width[, channels])."""
    if len(shape) == 2:
        return None
    if len(shape) == 3:
        return (*shape[1:], 1)
    if len(shape) == 4 and shape[3] <= MOST_CHANNELS:
        return shape[1:]
    raise UserError(
        f"{where} has shape {shape}: give an array (rows, columns), or images (rows, height, width, channels) "
        f"with at most {MOST_CHANNELS} channels"
    )


def array_frames(array: Any, names: list[str], rows: np.ndarray | None) -> Iterator[pd.DataFrame]:
    """The picked ``rows`` of ``array``, flattened, with all its columns ``names``."""
    step = block_rows(math.prod(array.shape[1:]))
    if getattr(array, "chunks", None):
        # Whole chunks, or each would be unpacked more than once.
        step = max(1, step // array.chunks[0]) * array.chunks[0]
    # Only blocks that hold some of the rows.
    for begin in (
        range(0, array.shape[0], step) if rows is None else (np.unique(rows // step) * step).tolist()
    ):
        end = min(begin + step, array.shape[0])
        block = array[begin:end]
        block = np.asarray(block.toarray() if hasattr(block, "toarray") else block)[picked(rows, begin, end)]
        # Pandas takes the machine's own byte order only.
        block = block.astype(block.dtype.newbyteorder("="), copy=False)
        yield pd.DataFrame(block.reshape(len(block), -1), columns=names)


def chosen_array(path: Path, shapes: dict[str, Any], wanted: str | None, default: str | None) -> str:
    """The name of the array to read: ``wanted``, ``default`` or the only one; else an error that lists all."""
    name = wanted or default or (next(iter(shapes)) if len(shapes) == 1 else None)
    if name in shapes:
        return name
    held = ", ".join(f"{each} {shape}" for each, shape in shapes.items())
    reason = (
        f"has no array {name!r}" if name else "holds several arrays" if held else "holds no arrays of numbers"
    )
    raise UserError(f"{path} {reason}: choose one with --array; it holds {held or 'nothing'}")
