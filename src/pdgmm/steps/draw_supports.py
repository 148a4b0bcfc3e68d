"""Draw what a potentially degenerate Gaussian mixture is: a three-dimensional one with two components."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from pdgmm.data.masked_scm import MaskedScm
from pdgmm.report.figure_files import save_figures
from pdgmm.report.support_figure import draw_supports
from pdgmm.seeds import child_generator

MASKS = np.array([[1, 1, 0], [0, 0, 1]], dtype=np.uint8)
NAMES = ["component 1: latents 1 and 2 active", "component 2: latent 3 active"]
SAMPLES = 1600
SEED = 24
"""Chosen because the bends of its mixing are easy to see."""


def draw_example_supports(stem: Path) -> None:
    """Draw a plane and a line through one point, and their images, into ``<stem>.svg`` and ``<stem>.png``."""
    world = replace(MaskedScm(n=3, k=1, m=6, rho=0.75).build(SEED), masks=MASKS)
    arrays = world.sample("train", SAMPLES, child_generator(SEED, "supports"))
    save_figures(draw_supports(arrays["z"], arrays["x"], arrays["component"], NAMES), stem)
