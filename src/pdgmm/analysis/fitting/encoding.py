"""Latents of new rows by the fit of a study, block by block: no more of them are in memory than one block."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from pdgmm.analysis.fitting.analysis_folder import AnalysisFolder
from pdgmm.analysis.fitting.fitted_chain import FittedChain
from pdgmm.analysis.options import ReadOptions
from pdgmm.analysis.reading.row_blocks import RowBlocks
from pdgmm.errors import UserError
from pdgmm.store.atomic import whole_file

LatentBlocks = Iterable[tuple[np.ndarray, np.ndarray]]
"""Labels (rows,) and latents (rows, n) of one block after the other."""


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
    """Write the latents of every row of ``path`` as .csv or .npy.

    Without ``reading`` the file is read as the one that was fitted.
    """
    if out.suffix not in (".csv", ".npy"):
        raise UserError(
            f"{out}: latents are written as .csv or .npy, not as {out.suffix or 'a file without ending'}"
        )
    folder = AnalysisFolder(study)
    manifest = folder.manifest()
    reference = folder.reference(len(manifest.columns))
    columns, means, domain = manifest.columns, np.array(manifest.means), manifest.options.domain_column
    rows = RowBlocks(path, reading or manifest.reading, columns, means, manifest.image_shape, domain)
    sees = isinstance(reference, FittedChain) and reference.sees_domains
    encoded = (
        (index, reference.transform(manifest.standardised(values), *u))
        for index, values, *u in (rows.with_domains(manifest.domains) if sees else rows)
    )
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


def write_csv(path: Path, blocks: LatentBlocks, index_name: str | None) -> int:
    """Write the blocks as a table with columns ``latent_1``, ``latent_2``, …; returns how many rows there were."""
    count = 0
    with path.open("w", encoding="utf-8") as file:
        for index, latents in blocks:
            columns = [f"latent_{number}" for number in range(1, latents.shape[1] + 1)]
            labels = pd.Index(index, name=index_name or "row")
            pd.DataFrame(latents, index=labels, columns=columns).to_csv(file, header=count == 0)
            count += len(latents)
    return count


def write_npy(path: Path, blocks: LatentBlocks) -> int:
    """Write the blocks as one array; returns how many rows there were.

    Not by a memory map: its pages count as memory of the process until the system takes them back.
    """
    count = 0
    with path.open("wb") as file:
        for _, latents in blocks:
            header = {"descr": latents.dtype.str, "fortran_order": False, "shape": (0, latents.shape[1])}
            if count == 0:
                np.lib.format.write_array_header_1_0(file, header)
            file.write(np.ascontiguousarray(latents).data)
            count += len(latents)
        if count:
            # NumPy pads headers to one length, so the right number of rows fits in the place of 0.
            file.seek(0)
            np.lib.format.write_array_header_1_0(file, header | {"shape": (count, latents.shape[1])})
    return count
