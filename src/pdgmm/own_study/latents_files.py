"""Latents on their way into a file, block by block: no more of them are in memory than one block."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd

LatentBlocks = Iterable[tuple[np.ndarray, np.ndarray]]
"""Labels (rows,) and latents (rows, n) of one block after the other."""


def latents_frame(latents: np.ndarray, index: np.ndarray, index_name: str | None) -> pd.DataFrame:
    """Latents (rows, n) as a table with columns ``latent_1``, ``latent_2``, …"""
    columns = [f"latent_{number}" for number in range(1, latents.shape[1] + 1)]
    return pd.DataFrame(latents, index=pd.Index(index, name=index_name or "row"), columns=columns)


def write_csv(path: Path, blocks: LatentBlocks, index_name: str | None) -> int:
    """Write the blocks as a table with a header; returns how many rows there were."""
    count = 0
    with path.open("w", encoding="utf-8") as file:
        for index, latents in blocks:
            latents_frame(latents, index, index_name).to_csv(file, header=count == 0)
            count += len(latents)
    return count


def write_npy(path: Path, blocks: LatentBlocks, most_rows: int) -> int:
    """Write the blocks, of ``most_rows`` rows at most in all, as one array; returns how many rows there were."""
    count, array = 0, None
    for _, latents in blocks:
        if array is None:
            shape = (most_rows, latents.shape[1])
            array = np.lib.format.open_memmap(path, "w+", dtype=latents.dtype, shape=shape)
        array[count : count + len(latents)] = latents
        count += len(latents)
    if array is not None:
        array.flush()
        _shorten(path, array, count)
    return count


def _shorten(path: Path, array: np.memmap, rows: int) -> None:
    """Keep the first rows of an array's file only. NumPy pads headers, so that one with another shape is as long."""
    if rows == len(array):
        return
    header = {"descr": array.dtype.str, "fortran_order": False, "shape": (rows, array.shape[1])}
    with path.open("r+b") as file:
        np.lib.format.write_array_header_1_0(file, header)
        if file.tell() != array.offset:
            raise RuntimeError("NumPy wrote a header of another length")
        file.truncate(array.offset + rows * array.shape[1] * array.dtype.itemsize)
