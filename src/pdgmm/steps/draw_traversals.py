"""Draw what moves in small images when one latent of a fit goes from low to high."""

from pathlib import Path

import numpy as np

from pdgmm.models.chain_decoding import ChainDecoder
from pdgmm.report.figure_files import save_figures
from pdgmm.report.image_strips import QUANTILES, draw_traversals, traversal
from pdgmm.store import hdf5
from pdgmm.store.splits import MAIN


def draw_strips(dataset: Path, latents: Path, stem: Path) -> None:
    """Write ``<stem>.svg`` and ``.png``: held-out images, and below them one strip of decoded images per latent.

    In a strip all other latents stay at their medians. The medians of images in colours lie between the colours, so
    there they stay at the latents of the first held-out image. For a failed fit only the held-out images are drawn.
    ``latents`` is ``<chain>/latents.h5``; the models of the chain's parts are in its folder and in those beside it.
    """
    with hdf5.opened(dataset, "dataset") as file:
        shape = hdf5.about(file, "facts")["picture_shape"]
        title = f"{dataset.parent.name}, seed {hdf5.about(file, 'seed')}, {latents.parent.name}"
        rows = [file[MAIN]["x"][: len(QUANTILES)]]
    names = ["held-out\nimages"]
    with hdf5.opened(latents, "latents") as file:
        codes = file[MAIN]["z_hat"][()] if MAIN in file else None
        reason = hdf5.about(file, "reason")
    if codes is None:
        title += f"\nthe fit failed: {reason}"
    else:
        decode = ChainDecoder(latents.parent)
        in_colours = shape[-1] > 1
        title += "\nlatents that do not move: those of the first image" if in_colours else ""
        for latent in range(codes.shape[1]):
            rows.append(decode(traversal(codes, latent, codes[0] if in_colours else None)))
            names.append(f"latent {latent + 1}")
    # Too few held-out images leave the rest of their strip white.
    rows[0] = np.concatenate([rows[0], np.ones((len(QUANTILES) - len(rows[0]), rows[0].shape[1]))])
    images = 255 * np.stack(rows).reshape(len(rows), len(QUANTILES), *shape)
    save_figures(draw_traversals(title, np.broadcast_to(images, (*images.shape[:-1], 3)), names), stem)
