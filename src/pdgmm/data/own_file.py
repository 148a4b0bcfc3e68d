"""A user's own data file as a dataset: no truth, and rows that are drawn again for every seed."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from pydantic import Field

from pdgmm.analysis.reading.read_options import ReadOptions
from pdgmm.data.base import MOST_SAMPLES, Generator, Structure, World
from pdgmm.seeds import child_generator
from pdgmm.settings import Settings

TEST_SHARE, RESAMPLED_SHARE = 0.2, 0.8
"""Rows that are held out, the same for every seed, and the share of the others that each seed learns from."""


class MostRows(Settings):
    """How many rows of the file are used, at most."""

    train: int = Field(
        1_000_000, ge=2, le=MOST_SAMPLES, description="rows that the stages learn from, at most"
    )
    test: int = Field(10_000, ge=2, le=MOST_SAMPLES, description="rows that are held out, at most")


@dataclass(frozen=True)
class FileWorld(World):
    """Rows of a file, by split."""

    block_rows = 2**40

    rows: Mapping[str, np.ndarray]
    latents: int
    columns: tuple[str, ...]

    @property
    def n_latents(self) -> int:
        return self.latents

    def structure(self) -> Structure:
        """The names of the columns."""
        return Structure({}, {"columns": list(self.columns)})

    def counts(self, samples: Settings) -> dict[str, int]:
        return {split: len(rows) for split, rows in self.rows.items()}

    def sample(self, split: str, count: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
        """The rows ``x`` of a split."""
        return {"x": self.rows[split]}


class OwnFile(Generator):
    """A user's own data file: .csv, .parquet, .npy, .npz, .h5, .h5ad or a folder of images.

    A fifth of the rows is held out, the same for every seed; each seed learns from other four fifths of the rest.
    There is no truth to score against: tables show how far fits with different seeds agree.
    """

    samples: MostRows = Field(default_factory=MostRows, description="rows that are used")
    file: str = Field(min_length=1, description="path of the file, from the folder in which snakemake runs")
    n_latents: int | None = Field(
        None, ge=1, description="how many latents to look for; null: the rank of the data"
    )
    reading: ReadOptions = Field(default_factory=ReadOptions, description="how the file is read")

    def build(self, seed: int) -> FileWorld:
        from pdgmm.analysis.reading.own_data import read
        from pdgmm.rank import estimate_n_latents

        data = read(self.file, self.reading)
        order = child_generator(0, "held-out rows of a file").permutation(len(data.values))
        held_out = min(self.samples.test, max(1, int(TEST_SHARE * len(order))))
        rest = child_generator(seed, "rows of a file").permutation(order[held_out:])
        chosen = rest[: min(self.samples.train, int(RESAMPLED_SHARE * len(rest)))]
        rows = {"train": data.values[np.sort(chosen)], "test": data.values[np.sort(order[:held_out])]}
        deviation = data.values.std(axis=0)
        rows = {split: values / np.where(deviation > 0, deviation, 1) for split, values in rows.items()}
        return FileWorld(rows, self.n_latents or estimate_n_latents(rows["train"]), data.columns)
