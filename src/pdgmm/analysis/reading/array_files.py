"""Arrays with a row per sample, as tables or images: NumPy, HDF5 and AnnData files, and folders of images."""

import contextlib
import lzma
import math
import tokenize
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pandas as pd

from pdgmm.analysis.options import ReadOptions
from pdgmm.analysis.reading.source import Source, block_rows, picked, position_names, reading
from pdgmm.analysis.wording import counted, first_few
from pdgmm.errors import UserError
from pdgmm.store import hdf5
from pdgmm.store.seal import is_sealed

MOST_CHANNELS = 4

HEADER_ERRORS = (ValueError, TypeError, SyntaxError, OverflowError, tokenize.TokenError)
"""NumPy parses the header of an array as Python writes a dict; ``OverflowError``: a shape beyond all memory."""

ZIP_ERRORS = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, NotImplementedError, RuntimeError, KeyError)
"""``NotImplementedError`` and ``RuntimeError``: packed in another way, or locked with a password."""

NUMPY_ERRORS = (OSError, EOFError, *HEADER_ERRORS, *ZIP_ERRORS)
HDF5_ERRORS = (OSError, RuntimeError, KeyError, ValueError, TypeError)
REPAIR = (
    "Take the file from where you have it whole; data that you changed belong in a file without our checksum"
)
"""What mends a dataset of this program that a user gives as data of their own."""

ROW_LABELS = "obs_names"
IMAGE_NAMES = "file"
IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff", ".webp", ".gif")
AS_STORED = ("L", "I", "F", "I;16", "I;16B")
"""Pillow's modes with one number a pixel."""


def open_npy(path: Path, options: ReadOptions) -> Source:
    """The array of an .npy file, memory-mapped."""
    with reading(path, "a NumPy .npy file", *NUMPY_ERRORS):
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    if not isinstance(array, np.ndarray):
        raise UserError(f"{path} is an archive of arrays: rename it to {path.stem}.npz")
    return _source(path, array.shape, _image_shape(array.shape, path), lambda: contextlib.nullcontext(array))


def open_npz(path: Path, options: ReadOptions) -> Source:
    """The only array of an .npz file, or the one called ``options.array``, held in memory."""
    with reading(path, "a NumPy .npz file", *NUMPY_ERRORS), np.lib.npyio.NpzFile(path) as archive:
        shapes = {name: _npz_shape(archive, name) for name in archive.files}
        array = archive[_chosen_array(path, shapes, options.array, None)]
    return _source(path, array.shape, _image_shape(array.shape, path), lambda: contextlib.nullcontext(array))


def open_hdf5(path: Path, options: ReadOptions) -> Source:
    """The array ``options.array`` of the file; by default ``train/x`` of our datasets, or the only one there is."""
    with _opened_hdf5(path) as file:
        ours = str(file.attrs.get("format")) == hdf5.FORMAT
        shapes: dict[str, tuple[int, ...]] = {}

        def visit(name: str, item: h5py.Group | h5py.Dataset) -> None:
            table = isinstance(item, h5py.Dataset) and item.ndim > 1 and item.dtype.kind in "biuf"
            # What else a dataset of ours holds is the truth.
            if table and (name.endswith("/x") or not ours):
                shapes[name] = item.shape

        file.visititems(visit)
        wanted = options.array and options.array.strip("/")
        name = _chosen_array(path, shapes, wanted, "train/x" if ours else None)
        images = _image_shape(shapes[name], f"{path}:{name}")
        if ours and "facts" in file.attrs:
            images = tuple(hdf5.about(file.file, "facts").get("image_shape", ())) or None
    return _source(path, shapes[name], images, lambda: _opened_hdf5(path, name))


def open_h5ad(path: Path, options: ReadOptions) -> Source:
    """``X``, block by block, or the array ``layers/…`` or ``obsm/…``; rows have the names of the observations."""
    try:
        import anndata
    except ImportError as error:
        raise UserError(f"{path}: .h5ad files need anndata: pip install 'pdgmm[anndata]'") from error

    def checked() -> contextlib.AbstractContextManager[None]:
        return reading(path, "an AnnData file", *HDF5_ERRORS, AttributeError)

    with checked():
        data = anndata.read_h5ad(path, backed="r")
        arrays = {"X": data.X}
        arrays |= {f"layers/{name}": array for name, array in data.layers.items()}
        arrays |= {f"obsm/{name}": array for name, array in data.obsm.items() if hasattr(array, "dtype")}
        shapes = {name: tuple(array.shape) for name, array in arrays.items()}
        name = _chosen_array(path, shapes, options.array, "X")
        array = arrays[name]
        if getattr(array, "format", None) == "csc":
            # Stored by column: rows can only be had from all of it, held in memory, sparse.
            array = (array.to_memory() if hasattr(array, "to_memory") else array).tocsr()
    n_rows, n_columns = shapes[name]
    columns = position_names(n_columns) if name.startswith("obsm") else list(data.var_names)
    labels = np.asarray(data.obs_names, dtype=object)

    def frames(rows: np.ndarray | None, _: list[str]) -> Iterator[pd.DataFrame]:
        with checked():
            yield from _array_frames(array, columns, rows, labels)

    notes = ("The names of the observations (obs) label the rows.",)
    return Source(path, [ROW_LABELS, *columns], n_rows, frames, ROW_LABELS, notes=notes)


def open_images(path: Path, options: ReadOptions) -> Source:
    """The images of the folder: values as stored (bytes: 0 to 255), rows labelled with file names."""
    with reading(path, "a folder", OSError):
        names = sorted(each.name for each in path.iterdir() if each.is_file() and each.name[0] != ".")
    images = [name for name in names if name.lower().endswith(IMAGE_SUFFIXES)]
    if not images:
        raise UserError(
            f"{path} is a folder without images: give one that holds {', '.join(IMAGE_SUFFIXES)} files"
        )
    notes = (f"The names of the {len(images)} images label the rows.",)
    if others := [name for name in names if not name.lower().endswith(IMAGE_SUFFIXES)]:
        notes += (f"{counted(len(others), 'file')} left out, because not an image: {first_few(others)}.",)
    shape = _pixels(path / images[0]).shape
    columns = position_names(math.prod(shape))

    def frames(rows: np.ndarray | None, _: list[str]) -> Iterator[pd.DataFrame]:
        numbers = np.arange(len(images)) if rows is None else rows
        step = block_rows(len(columns))
        for begin in range(0, len(numbers), step):
            files = [images[number] for number in numbers[begin : begin + step]]
            block = np.empty((len(files), len(columns)), np.float32)
            for row, name in zip(block, files, strict=True):
                pixels = _pixels(path / name)
                if pixels.shape != shape:
                    raise UserError(
                        f"{path / name} is {_size(pixels.shape)} and {images[0]} is {_size(shape)}: "
                        "bring all images to one size, all grey or all in colour"
                    )
                row[:] = pixels.ravel()
            frame = pd.DataFrame(block, columns=columns)
            frame.insert(0, IMAGE_NAMES, files)
            yield frame

    return Source(path, [IMAGE_NAMES, *columns], len(images), frames, IMAGE_NAMES, shape, notes)


def _source(
    path: Path,
    shape: tuple[int, ...],
    images: tuple[int, int, int] | None,
    opened: Callable[[], contextlib.AbstractContextManager[Any]],
) -> Source:
    """A table of unnamed columns in the array of this ``shape`` that ``opened()`` gives."""
    columns = position_names(math.prod(shape[1:]))

    def frames(rows: np.ndarray | None, _: list[str]) -> Iterator[pd.DataFrame]:
        with opened() as array:
            yield from _array_frames(array, columns, rows)

    return Source(path, columns, shape[0], frames, image_shape=images)


def _array_frames(
    array: Any, columns: list[str], rows: np.ndarray | None, labels: np.ndarray | None = None
) -> Iterator[pd.DataFrame]:
    """The picked ``rows`` of ``array``, flattened, with all its ``columns`` and, if there are any, their labels."""
    step = block_rows(math.prod(array.shape[1:]))
    if getattr(array, "chunks", None):
        # Whole chunks, or each would be unpacked more than once.
        step = max(1, step // array.chunks[0]) * array.chunks[0]
    # Only blocks that hold some of the rows.
    for begin in (
        range(0, array.shape[0], step) if rows is None else (np.unique(rows // step) * step).tolist()
    ):
        end = min(begin + step, array.shape[0])
        pick, block = picked(rows, begin, end), array[begin:end]
        block = np.asarray(block.toarray() if hasattr(block, "toarray") else block)[pick]
        # Pandas takes the machine's own byte order only.
        block = block.astype(block.dtype.newbyteorder("="), copy=False)
        frame = pd.DataFrame(block.reshape(len(block), -1), columns=columns)
        if labels is not None:
            frame.insert(0, ROW_LABELS, labels[begin:end][pick])
        yield frame


@contextlib.contextmanager
def _opened_hdf5(path: Path, name: str = "/") -> Iterator[h5py.Group | h5py.Dataset]:
    """What is called ``name`` in the file; what HDF5 cannot read in the block is an error that names the file."""
    with reading(path, "an HDF5 file", *HDF5_ERRORS):
        if is_sealed(path):
            opened = hdf5.opened(path, "dataset", repair=REPAIR)
        else:
            opened = h5py.File(path, "r", locking=False)
        with opened as file:
            yield file[name]


def _image_shape(shape: tuple[int, ...], where: str | Path) -> tuple[int, int, int] | None:
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


def _chosen_array(path: Path, shapes: dict[str, Any], wanted: str | None, default: str | None) -> str:
    """The name of the array to read: ``wanted``, ``default`` or the only one; else an error that lists all."""
    name = wanted or default or (next(iter(shapes)) if len(shapes) == 1 else None)
    if name in shapes:
        return name
    held = ", ".join(f"{each} {shape}" for each, shape in shapes.items())
    reason = (
        f"has no array {name!r}" if name else "holds several arrays" if held else "holds no arrays of numbers"
    )
    raise UserError(f"{path} {reason}: choose one with --array; it holds {held or 'nothing'}")


def _npz_shape(archive: np.lib.npyio.NpzFile, name: str) -> str:
    """For an error message; only where there are several arrays, as each is unpacked for it."""
    if len(archive.files) == 1:
        return ""
    try:
        return str(archive[name].shape)
    except ValueError:
        return "(Python objects)"


def _pixels(path: Path) -> np.ndarray:
    """(height, width, 1 or 3); an alpha channel is left out, a palette looked up."""
    from PIL import Image

    with reading(path, "an image", OSError, SyntaxError, ValueError), Image.open(path) as image:
        mode = image.mode
        if mode not in AS_STORED:
            image = image.convert("L" if mode in ("1", "LA") else "RGB")
        pixels = np.asarray(image)
    return pixels.reshape(*pixels.shape[:2], -1)


def _size(shape: tuple[int, int, int]) -> str:
    height, width, channels = shape
    return f"{width} x {height} pixels {'grey' if channels == 1 else 'in colour'}"
