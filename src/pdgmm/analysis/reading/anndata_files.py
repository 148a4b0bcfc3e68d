"""AnnData's .h5ad, by the package anndata."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from pdgmm.analysis.reading.array_blocks import array_frames, chosen_array
from pdgmm.analysis.reading.read_options import ReadOptions
from pdgmm.analysis.reading.source import Source, position_names, reading
from pdgmm.errors import UserError

ROW_LABELS = "obs_names"
ERRORS = (OSError, RuntimeError, KeyError, ValueError, TypeError, AttributeError)


def open_h5ad(path: Path, options: ReadOptions) -> Source:
    """``X``, block by block, or the array ``layers/…`` or ``obsm/…``; rows have the names of the observations."""
    try:
        import anndata
    except ImportError as error:
        raise UserError(f"{path}: .h5ad files need anndata: pip install 'pdgmm[anndata]'") from error
    with reading(path, "an AnnData file", *ERRORS):
        data = anndata.read_h5ad(path, backed="r")
        arrays = {"X": data.X}
        arrays |= {f"layers/{name}": array for name, array in data.layers.items()}
        arrays |= {f"obsm/{name}": array for name, array in data.obsm.items() if hasattr(array, "dtype")}
        shapes = {name: tuple(array.shape) for name, array in arrays.items()}
        name = chosen_array(path, shapes, options.array, "X")
        array = arrays[name]
        if getattr(array, "format", None) == "csc":
            # Stored by column: rows can only be had from all of it, held in memory, sparse.
            array = (array.to_memory() if hasattr(array, "to_memory") else array).tocsr()
    n_rows, n_columns = shapes[name]
    columns = position_names(n_columns) if name.startswith("obsm") else list(data.var_names)
    labels = np.asarray(data.obs_names, dtype=object)

    def frames(rows: np.ndarray | None, _: list[str]) -> Iterator[pd.DataFrame]:
        done = 0
        picked_labels = labels if rows is None else labels[rows]
        with reading(path, "an AnnData file", *ERRORS):
            for frame in array_frames(array, columns, rows):
                frame.insert(0, ROW_LABELS, picked_labels[done : done + len(frame)])
                done += len(frame)
                yield frame

    notes = ("The names of the observations (obs) label the rows.",)
    return Source(path, [ROW_LABELS, *columns], n_rows, frames, ROW_LABELS, notes=notes)
