"""The catalogue of readers: one line a suffix, ``suffix: "module:function"``."""

from collections import Counter
from importlib import import_module
from pathlib import Path

from pdgmm.analysis.reading.read_options import ReadOptions
from pdgmm.analysis.reading.source import Source, reading
from pdgmm.analysis.wording import first_few
from pdgmm.errors import UserError

READERS: dict[str, str] = {
    ".csv": "pdgmm.analysis.reading.text_files:open_text",
    ".csv.gz": "pdgmm.analysis.reading.text_files:open_text",
    ".tsv": "pdgmm.analysis.reading.text_files:open_text",
    ".tsv.gz": "pdgmm.analysis.reading.text_files:open_text",
    ".txt": "pdgmm.analysis.reading.text_files:open_text",
    ".parquet": "pdgmm.analysis.reading.parquet_files:open_parquet",
    ".npy": "pdgmm.analysis.reading.numpy_files:open_npy",
    ".npz": "pdgmm.analysis.reading.numpy_files:open_npz",
    ".h5": "pdgmm.analysis.reading.hdf5_files:open_hdf5",
    ".hdf5": "pdgmm.analysis.reading.hdf5_files:open_hdf5",
    ".h5ad": "pdgmm.analysis.reading.anndata_files:open_h5ad",
}
IMAGE_FOLDER = "pdgmm.analysis.reading.image_folder:open_images"


def open_source(path: Path, options: ReadOptions) -> Source:
    """The table at ``path``, by the reader of its suffix; a folder is one of images."""
    with reading(path, "a file or folder", OSError):
        if not path.exists():
            raise UserError(f"{path} does not exist: check the path")
    if path.is_dir():
        reader = IMAGE_FOLDER
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
    module, function = reader.split(":")
    source: Source = getattr(import_module(module), function)(path, options)
    twice = [name for name, times in Counter(source.columns).items() if times > 1]
    if twice:
        raise UserError(f"{path}: columns with the same name: {first_few(map(repr, twice))}; rename them")
    if source.n_rows == 0:
        raise UserError(f"{path} has no rows: check that it was written to its end")
    return source
