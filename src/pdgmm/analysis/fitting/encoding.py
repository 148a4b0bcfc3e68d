"""Latents of new rows by the fit of a study."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pdgmm.analysis.fitting.analysis_folder import AnalysisFolder
from pdgmm.analysis.fitting.latents_files import write_csv, write_npy
from pdgmm.analysis.reading.read_options import ReadOptions
from pdgmm.analysis.reading.row_blocks import RowBlocks
from pdgmm.errors import UserError
from pdgmm.store.atomic import whole_file


@dataclass(frozen=True)
class Encoded:
    """A file of latents that was written, and what there is to know about the file it was made from."""

    file: str
    rows: int
    latents: int
    notes: tuple[str, ...]

    def in_words(self) -> str:
        """What ``pdgmm encode`` prints."""
        return "\n".join([f"{self.rows:,} rows in {self.file}", *(f"  note: {note}" for note in self.notes)])


def encode_file(study: Path, path: Path, out: Path, reading: ReadOptions | None = None) -> Encoded:
    """Write the latents of every row of ``path`` as .csv or .npy, block by block.

    Without ``reading`` the file is read as the one that was fitted.
    """
    if out.suffix not in (".csv", ".npy"):
        raise UserError(
            f"{out}: latents are written as .csv or .npy, not as {out.suffix or 'a file without ending'}"
        )
    folder = AnalysisFolder(study)
    manifest = folder.manifest()
    reference = folder.reference(len(manifest.columns))
    columns, means = manifest.columns, np.array(manifest.means)
    rows = RowBlocks(path, reading or manifest.reading, columns, means, manifest.image_shape)
    encoded = ((block.index, reference.transform(manifest.standardised(block.values))) for block in rows)
    with whole_file(out) as temporary:
        if out.suffix == ".npy":
            count = write_npy(temporary, encoded)
        else:
            count = write_csv(temporary, encoded, rows.index_name)
        if count == 0:
            raise UserError(f"{path} has no row without missing values: see --missing")
    notes = rows.notes
    if count < rows.n_rows:
        notes += (f"{rows.n_rows - count:,} of {rows.n_rows:,} rows have missing values and were left out.",)
    return Encoded(str(out), count, reference.n_latents_, notes)
