"""A user's own data file as a dataset: it has no truth, and every seed draws its own rows for training."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from pydantic import Field

from pdgmm.analysis.options import ReadOptions
from pdgmm.data.base import Generator, SampleCount, Structure, World
from pdgmm.errors import UserError
from pdgmm.seeds import child_generator
from pdgmm.settings import Settings

TEST_SHARE, RESAMPLED_SHARE = 0.2, 0.8
"""The share of the rows that is held out, the same for every seed; and the share of the rest used by each seed."""


class MostRows(Settings):
    """How many rows of the file are used, at most."""

    train: SampleCount = Field(1_000_000, description="most rows that methods learn from")
    test: SampleCount = Field(10_000, description="most rows that are held out")


@dataclass(frozen=True)
class FileWorld(World):
    """Rows of a file, by split."""

    block_rows = 2**40

    observed = ("x", "u")

    rows: Mapping[str, np.ndarray]
    side: Mapping[str, np.ndarray]
    n_latents: int
    columns: tuple[str, ...]

    def structure(self) -> Structure:
        """The names of the columns."""
        return Structure({}, {"columns": list(self.columns)})

    def counts(self, samples: Settings) -> dict[str, int]:
        return {split: len(rows) for split, rows in self.rows.items()}

    def sample(self, split: str, count: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
        """The rows ``x`` of a split and, if the file has one, their side variable ``u``."""
        return {"x": self.rows[split]} | ({"u": self.side[split]} if self.side else {})


class OwnFile(Generator):
    """A user's own data file: .csv, .parquet, .npy, .npz, .h5, .h5ad or a folder of images.

    A fifth of the rows is held out, the same for every seed; each seed learns from other four fifths of the rest.
    There is no truth to score against: tables show how far fits with different seeds agree.
    """

    graph = False

    samples: MostRows = Field(default_factory=MostRows, description="rows that are used")
    file: str = Field(
        min_length=1, description="path of the file, relative to the folder in which snakemake runs"
    )
    n_latents: int | None = Field(
        None, ge=1, description="how many latents to look for; null: the rank of the data"
    )
    u: str | None = Field(
        None,
        description="column with the side variable `u` (segment, domain, class), which is not an observation; its "
        "values are numbered from 0. null: none",
    )
    reading: ReadOptions = Field(default_factory=ReadOptions, description="how the file is read")

    def side(self) -> tuple[str, ...]:
        return ("u",) if self.u else ()

    def build(self, seed: int) -> FileWorld:
        from pdgmm.analysis.reading.own_data import read
        from pdgmm.fitting.whitening import estimate_n_latents

        data = read(self.file, self.reading)
        columns, values = list(data.columns), data.values
        order = child_generator(0, "held-out rows of a file").permutation(len(values))
        held_out = min(self.samples.test, max(1, int(TEST_SHARE * len(order))))
        rest = child_generator(seed, "rows of a file").permutation(order[held_out:])
        chosen = rest[: min(self.samples.train, int(RESAMPLED_SHARE * len(rest)))]
        places = {"train": np.sort(chosen), "test": np.sort(order[:held_out])}
        side = {}
        if self.u:
            if self.u not in columns:
                raise UserError(f"{self.file} has no column {self.u!r} for `u`: it has {', '.join(columns)}")
            place = columns.index(self.u)
            numbers = np.unique(values[:, place], return_inverse=True)[1].astype(np.int64)
            side = {split: numbers[rows] for split, rows in places.items()}
            values = np.delete(values, place, axis=1)
            del columns[place]
        deviation = values.std(axis=0)
        scale = np.where(deviation > 0, deviation, 1)
        rows = {split: values[chosen] / scale for split, chosen in places.items()}
        latents = self.n_latents or estimate_n_latents(rows["train"])
        return FileWorld(rows, side, latents, tuple(columns))
