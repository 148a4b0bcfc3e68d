"""The catalogue of readers, one line a suffix."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

from pdgmm.analysis.options import ReadOptions
from pdgmm.analysis.reading.array_files import open_h5ad, open_hdf5, open_images, open_npy, open_npz
from pdgmm.analysis.reading.source import Source, reading
from pdgmm.analysis.reading.table_files import open_parquet, open_text
from pdgmm.analysis.wording import first_few
from pdgmm.errors import UserError

READERS: dict[str, Callable[[Path, ReadOptions], Source]] = {
    ".csv": open_text,
    ".csv.gz": open_text,
    ".tsv": open_text,
    ".tsv.gz": open_text,
    ".txt": open_text,
    ".parquet": open_parquet,
    ".npy": open_npy,
    ".npz": open_npz,
    ".h5": open_hdf5,
    ".hdf5": open_hdf5,
    ".h5ad": open_h5ad,
}


def open_source(path: Path, options: ReadOptions) -> Source:
    """The table at ``path``, by the reader of its suffix; a folder is one of images."""
    with reading(path, "a file or folder", OSError):
        if not path.exists():
            raise UserError(f"{path} does not exist: check the path")
    if path.is_dir():
        reader = open_images
    else:
        name = path.name.lower()
        reader = next((READERS[suffix] for suffix in READERS if name.endswith(suffix)), None)
        if reader is None:
            raise UserError(
                f"{path}: files ending in {path.suffix or 'nothing'!r} are not read; "
                f"save it as one of {', '.join(READERS)}, or give a folder of images"
            )
        if path.stat().st_size == 0:
            raise UserError(f"{path} is empty (0 bytes): write it again, or check the path")
    source = reader(path, options)
    twice = [name for name, times in Counter(source.columns).items() if times > 1]
    if twice:
        raise UserError(f"{path}: columns with the same name: {first_few(map(repr, twice))}; rename them")
    if source.n_rows == 0:
        raise UserError(f"{path} has no rows: check that it was written to its end")
    return source
