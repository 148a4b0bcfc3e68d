"""Figures of what each latent moves in small images."""

import json

import numpy as np
import pytest

from pdgmm.models.affine_model import AffineModel
from pdgmm.models.model_files import FittedModel, save_model
from pdgmm.steps import draw_traversals as step
from pdgmm.steps.generate import generate_dataset
from pdgmm.store import hdf5

RNG = np.random.default_rng(100)
LATENT_PIXELS = (10, 53)
"""Each latent of the models is one pixel."""


@pytest.fixture
def run(tmp_path, digits, save_codes):
    """A dataset, and a chain of two affine models with its codes; ``run(failed=True)``: without codes."""

    def made(*, failed=False):
        first, second = np.zeros((2, 64)), np.array([[0.0, 2.0], [0.5, 0.0]])
        first[range(2), LATENT_PIXELS] = 1
        for name, matrix in (("pca", first), ("pca+fastica", second)):
            model = AffineModel(np.zeros(matrix.shape[1]), matrix)
            save_model(tmp_path / name, FittedModel(model, None, {}))
        codes = RNG.uniform(size=(30, 2)) @ second.T
        return digits, save_codes("pca+fastica", None if failed else codes)

    return made


@pytest.fixture
def strips(record_calls):
    """The arguments of the figure that is drawn."""
    return record_calls(step, "draw_traversals")


def test_each_strip_moves_the_pixel_of_its_latent_from_low_to_high(run, strips, tmp_path):
    step.draw_strips(*run(), tmp_path / "strips")
    title, images, names = strips[0]
    assert title == "digits, seed 0, pca+fastica"
    assert names == ["held-out\nimages", "latent 1", "latent 2"]
    assert images.shape == (3, 7, 8, 8, 3)
    assert images[0].max() > 200
    for latent, pixel in enumerate(reversed(LATENT_PIXELS), start=1):
        moving = np.ptp(images[latent], axis=0)[..., 0].ravel()
        assert np.flatnonzero(moving > 1).tolist() == [pixel]
        assert (np.diff(images[latent].reshape(7, 64, 3)[:, pixel, 0]) > 0).all()
    assert (tmp_path / "strips.svg").exists()
    assert (tmp_path / "strips.png").stat().st_size > 1000


def test_images_in_colour_keep_their_colours(strips, tmp_path):
    dataset, latents = tmp_path / "digits" / "seed-0.h5", tmp_path / "pca" / "latents.h5"
    settings = {"source": "digits", "colours": 2, "n_latents": 1, "samples": {"train": 20, "test": 30}}
    generate_dataset("written_digits", json.dumps(settings), 0, dataset)
    green = np.zeros((1, 192))
    green[0, 3 * LATENT_PIXELS[0] + 1] = 1
    save_model(tmp_path / "pca", FittedModel(AffineModel(np.zeros(192), green), None, {}))
    with hdf5.create(latents, "latents", {"status": "ok", "reason": ""}) as file:
        hdf5.put(file, "test/z_hat", RNG.uniform(size=(30, 1)))
    step.draw_strips(dataset, latents, tmp_path / "strips")
    title, images, _ = strips[0]
    assert title.endswith("\nlatents that do not move: those of the first image")
    assert images.shape == (2, 7, 8, 8, 3)
    with hdf5.opened(dataset, "dataset") as file:
        np.testing.assert_allclose(images[0].reshape(7, 192), 255 * file["test/x"][:7])
    moving = np.ptp(images[1], axis=0)
    assert np.flatnonzero(moving > 1).tolist() == [3 * LATENT_PIXELS[0] + 1]


def test_a_failed_fit_shows_the_images_and_its_reason(run, strips, tmp_path):
    step.draw_strips(*run(failed=True), tmp_path / "strips")
    title, images, names = strips[0]
    assert "the fit failed: it diverged" in title
    assert (len(images), len(names)) == (1, 1)
