"""NumPy's .npy (memory-mapped) and .npz (one array in memory)."""

import lzma
import math
import tokenize
import zipfile
import zlib
from functools import partial
from pathlib import Path

import numpy as np

from pdgmm.analysis.reading.array_blocks import array_frames
from pdgmm.analysis.reading.array_shapes import image_shape
from pdgmm.analysis.reading.read_options import ReadOptions
from pdgmm.analysis.reading.source import Source, position_names, reading
from pdgmm.errors import UserError

HEADER_ERRORS = (ValueError, TypeError, SyntaxError, OverflowError, tokenize.TokenError)
"""NumPy parses the header of an array as Python writes a dict; ``OverflowError``: a shape beyond all memory."""

ZIP_ERRORS = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, NotImplementedError, RuntimeError, KeyError)
"""``NotImplementedError`` and ``RuntimeError``: packed in another way, or locked with a password."""

ERRORS = (OSError, EOFError, *HEADER_ERRORS)


def open_npy(path: Path, options: ReadOptions) -> Source:
    """The array of an .npy file."""
    # NumPy takes what begins as an archive does for one, whatever it is called.
    with reading(path, "a NumPy .npy file", *ERRORS, *ZIP_ERRORS):
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    if not isinstance(array, np.ndarray):
        raise UserError(f"{path} is an archive of arrays: rename it to {path.stem}.npz")
    return _source(path, array)


def open_npz(path: Path, options: ReadOptions) -> Source:
    """The only array of an .npz file, or the one called ``options.array``."""
    with reading(path, "a NumPy .npz file", *ERRORS, *ZIP_ERRORS), np.lib.npyio.NpzFile(path) as archive:
        names = archive.files
        name = options.array or (names[0] if len(names) == 1 else None)
        if name not in names:
            held = ", ".join(f"{each} {_shape(archive, each)}" for each in names)
            wanted = f"has no array {name!r}" if name else "holds several arrays"
            raise UserError(f"{path} {wanted}: choose one with --array; it holds {held or 'nothing'}")
        return _source(path, archive[name])


def _source(path: Path, array: np.ndarray) -> Source:
    shape = image_shape(array.shape, path)
    names = position_names(math.prod(array.shape[1:]))
    return Source(path, names, len(array), partial(array_frames, array, names), image_shape=shape)


def _shape(archive: np.lib.npyio.NpzFile, name: str) -> str:
    try:
        return str(archive[name].shape)
    except ValueError:
        return "(Python objects)"
