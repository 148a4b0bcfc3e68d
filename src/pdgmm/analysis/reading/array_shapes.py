"""Which shapes of an array are a table or images."""

import math
from pathlib import Path

from pdgmm.errors import UserError

MOST_CHANNELS = 4
MOST_COLUMNS = 2**24
"""As many as images of 4096 x 4096 pixels have; the names of more do not fit into memory."""


def image_shape(shape: tuple[int, ...], where: str | Path) -> tuple[int, int, int] | None:
    """None for a table (rows, columns); (height, width, channels) for images (rows, height, width[, channels])."""
    if math.prod(shape[1:]) > MOST_COLUMNS:
        raise UserError(
            f"{where} has shape {shape}: more than {MOST_COLUMNS} numbers a row are not read; "
            "check that it has a row per sample and is whole"
        )
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
