"""Latents of new rows by the fit of a study."""

from pathlib import Path

import numpy as np

from pdgmm.errors import UserError
from pdgmm.own_data import ReadOptions, blocks
from pdgmm.own_study.folder import StudyFolder
from pdgmm.own_study.running import latents_frame
from pdgmm.store.atomic import whole_file


def encode_file(study: Path, path: Path, out: Path, reading: ReadOptions | None = None) -> int:
    """Write the latents of every row of ``path`` as .csv or .npy, block by block; returns how many rows there were.

    Without ``reading`` the file is read as the one that was fitted.
    """
    if out.suffix not in (".csv", ".npy"):
        raise UserError(
            f"{out}: latents are written as .csv or .npy, not as {out.suffix or 'a file without ending'}"
        )
    folder = StudyFolder(study)
    manifest = folder.manifest()
    reference = folder.reference()
    rows = blocks(
        path,
        reading or ReadOptions.model_validate(manifest.reading),
        expected_columns=manifest.columns,
        means=np.array(manifest.means),
        image_shape=None if manifest.image_shape is None else tuple(manifest.image_shape),
    )
    encoded = ((block.index, reference.transform(manifest.standardised(block.values))) for block in rows)
    with whole_file(out) as temporary:
        if out.suffix == ".npy":
            latents = np.concatenate([latents for _, latents in encoded])
            with temporary.open("wb") as file:
                np.save(file, latents)
            return len(latents)
        count = 0
        with temporary.open("w", encoding="utf-8") as file:
            for index, latents in encoded:
                frame = latents_frame(latents, index, rows.index_name)
                frame.to_csv(file, header=count == 0)
                count += len(latents)
        return count
