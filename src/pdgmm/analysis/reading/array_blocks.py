"""Blocks of an array with a row per sample: NumPy's, memory-mapped, or an HDF5 dataset."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from pdgmm.analysis.reading.source import block_begins, block_rows, picked


def array_frames(
    array: Any, names: list[str], rows: np.ndarray | None, columns: list[str]
) -> Iterator[pd.DataFrame]:
    """The picked ``rows`` of ``array``, flattened, with all its columns ``names``, not only the ``columns``."""
    step = block_rows(len(names))
    if getattr(array, "chunks", None):
        # Whole chunks, or each would be unpacked more than once.
        step = max(1, step // array.chunks[0]) * array.chunks[0]
    for begin in block_begins(rows, array.shape[0], step):
        end = min(begin + step, array.shape[0])
        block = np.asarray(array[begin:end])[picked(rows, begin, end)]
        # Pandas takes the machine's own byte order only.
        block = block.astype(block.dtype.newbyteorder("="), copy=False)
        yield pd.DataFrame(block.reshape(len(block), -1), columns=names)
