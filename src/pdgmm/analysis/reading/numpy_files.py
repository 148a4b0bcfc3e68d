"""NumPy's .npy (memory-mapped) and .npz (one array in memory)."""

import lzma
import math
import tokenize
import zipfile
import zlib
from pathlib import Path

import numpy as np

from pdgmm.analysis.reading.array_blocks import array_frames, chosen_array, image_shape
from pdgmm.analysis.reading.read_options import ReadOptions
from pdgmm.analysis.reading.source import Source, position_names, reading
from pdgmm.errors import UserError

HEADER_ERRORS = (ValueError, TypeError, SyntaxError, OverflowError, tokenize.TokenError)
"""NumPy parses the header of an array as Python writes a dict; ``OverflowError``: a shape beyond all memory."""

ZIP_ERRORS = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, NotImplementedError, RuntimeError, KeyError)
"""``NotImplementedError`` and ``RuntimeError``: packed in another way, or locked with a password."""

ERRORS = (OSError, EOFError, *HEADER_ERRORS, *ZIP_ERRORS)


def open_npy(path: Path, options: ReadOptions) -> Source:
    """The array of an .npy file."""
    with reading(path, "a NumPy .npy file", *ERRORS):
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    if not isinstance(array, np.ndarray):
        raise UserError(f"{path} is an archive of arrays: rename it to {path.stem}.npz")
    return _source(path, array)


def open_npz(path: Path, options: ReadOptions) -> Source:
    """The only array of an .npz file, or the one called ``options.array``."""
    with reading(path, "a NumPy .npz file", *ERRORS), np.lib.npyio.NpzFile(path) as archive:
        shapes = {name: _shape(archive, name) for name in archive.files}
        return _source(path, archive[chosen_array(path, shapes, options.array, None)])


def _source(path: Path, array: np.ndarray) -> Source:
    shape = image_shape(array.shape, path)
    names = position_names(math.prod(array.shape[1:]))
    return Source(
        path, names, len(array), lambda rows, _: array_frames(array, names, rows), image_shape=shape
    )


def _shape(archive: np.lib.npyio.NpzFile, name: str) -> str:
    """For an error message; only where there are several arrays, as each is unpacked for it."""
    if len(archive.files) == 1:
        return ""
    try:
        return str(archive[name].shape)
    except ValueError:
        return "(Python objects)"
