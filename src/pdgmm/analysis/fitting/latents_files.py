"""Latents on their way into a file, block by block: no more of them are in memory than one block."""

from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

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


def write_npy(path: Path, blocks: LatentBlocks) -> int:
    """Write the blocks as one array; returns how many rows there were.

    Not by a memory map: its pages count as memory of the process until the system takes them back.
    """
    count = 0
    with path.open("wb") as file:
        for _, latents in blocks:
            if count == 0:
                _write_header(file, latents, rows=0)
            file.write(np.ascontiguousarray(latents).data)
            count += len(latents)
        if count:
            file.seek(0)
            _write_header(file, latents, rows=count)
    return count


def _write_header(file: BinaryIO, latents: np.ndarray, rows: int) -> None:
    """Say that ``rows`` rows like those of ``latents`` follow. NumPy pads headers to one length."""
    header = {"descr": latents.dtype.str, "fortran_order": False, "shape": (rows, latents.shape[1])}
    np.lib.format.write_array_header_1_0(file, header)
