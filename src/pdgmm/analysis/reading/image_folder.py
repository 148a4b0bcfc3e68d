"""A folder of images, one a row, in the order of their names."""

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from pdgmm.analysis.options import ReadOptions
from pdgmm.analysis.reading.source import Source, block_rows, position_names, reading
from pdgmm.analysis.wording import first_few
from pdgmm.errors import UserError

SUFFIXES = (".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff", ".webp", ".gif")
FILE = "file"
AS_STORED = ("L", "I", "F", "I;16", "I;16B")
"""Pillow's modes with one number a pixel."""


def open_images(path: Path, options: ReadOptions) -> Source:
    """The images of the folder: values as stored (bytes: 0 to 255), rows labelled with file names."""
    with reading(path, "a folder", OSError):
        names = sorted(each.name for each in path.iterdir() if each.is_file() and each.name[0] != ".")
    images = [name for name in names if name.lower().endswith(SUFFIXES)]
    if not images:
        raise UserError(f"{path} is a folder without images: give one that holds {', '.join(SUFFIXES)} files")
    notes = (f"The names of the {len(images)} images label the rows.",)
    if others := [name for name in names if not name.lower().endswith(SUFFIXES)]:
        notes += (f"{len(others)} files that are no images were passed over: {first_few(others)}.",)
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
            frame.insert(0, FILE, files)
            yield frame

    return Source(path, [FILE, *columns], len(images), frames, FILE, shape, notes)


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
