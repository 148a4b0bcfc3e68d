"""Blocks of an array with a row per sample: NumPy's, memory-mapped, or an HDF5 dataset."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pdgmm.errors import UserError
from pdgmm.own_data.source import block_rows, picked

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


def array_frames(
    array: Any, names: list[str], rows: np.ndarray | None, columns: list[str]
) -> Iterator[pd.DataFrame]:
    """The picked ``rows`` of ``array``, flattened, with all its columns ``names``, not only the ``columns``."""
    step = block_rows(len(names))
    if getattr(array, "chunks", None):
        # Whole chunks, or each would be unpacked more than once.
        step = max(1, step // array.chunks[0]) * array.chunks[0]
    for begin in range(0, array.shape[0], step):
        end = min(begin + step, array.shape[0])
        pick = picked(rows, begin, end)
        if rows is not None and len(pick) == 0:
            continue
        block = np.asarray(array[begin:end])[pick]
        # Pandas takes the machine's own byte order only.
        block = block.astype(block.dtype.newbyteorder("="), copy=False)
        yield pd.DataFrame(block.reshape(len(block), -1), columns=names)
