"""What a stage is given: observations, the number of latents wanted, and nothing of the truth."""

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Self

import h5py
import numpy as np

from pdgmm.errors import UserError
from pdgmm.models.base import Encoder
from pdgmm.seeds import child_generator
from pdgmm.store import hdf5

IN_MEMORY_BYTES = 2**30
"""Observations up to this size are held in memory; larger ones are streamed. A constant, not a reading of
the machine's memory: the order of the batches depends on it."""

BUFFER_CHUNKS = 16
"""Streaming shuffles whole chunks, then the rows of this many chunks together."""


class Observations:
    """Rows of observations, from an array or streamed from an HDF5 dataset through an optional encoder.

    ``n_latents`` is how many hidden variables the stage is asked for. Only ``<split>/x`` is ever read, and
    ``image_shape``, (height, width, colours) where the rows of the file are images and None where they are not.
    Bytes stay bytes in memory; what is handed out is float32.
    """

    def __init__(
        self,
        x: np.ndarray | None,
        n_latents: int,
        *,
        source: tuple[Path, str] | None = None,
        encoder: Encoder | None = None,
    ) -> None:
        if (x is None) == (source is None):
            raise ValueError("give either an array or a file")
        self.n_latents = n_latents
        self.image_shape: tuple[int, ...] | None = None
        self._source = source
        self._encoder = encoder
        self._first = 0
        if x is None:
            with hdf5.opened(source[0], "dataset") as file:
                rows = hdf5.rows(file, f"{source[1]}/x")
                self.n_samples = int(rows.shape[0])
                self.x_dim = self._encoded(rows[:2]).shape[1]
                self.image_shape = _image_shape(file) if encoder is None else None
                kept = rows.dtype if encoder is None and rows.dtype == np.uint8 else np.dtype(np.float32)
                if rows.size * kept.itemsize <= IN_MEMORY_BYTES:
                    x = np.concatenate(
                        [self._encoded(block).astype(kept, copy=False) for block in _blocks(rows)]
                    )
        else:
            x = np.ascontiguousarray(x, dtype=np.float32)
            self.n_samples, self.x_dim = x.shape
        if x is not None and not np.isfinite(x).all():
            where = f"{source[0]}:{source[1]}/x" if source else "the observations"
            bad = int(np.count_nonzero(~np.isfinite(x)))
            raise UserError(
                f"{where}: {bad} of {x.size} values are NaN or infinite; remove or replace them first"
            )
        self._x = x

    @classmethod
    def from_file(
        cls, path: Path, n_latents: int, *, split: str = "train", encoder: Encoder | None = None
    ) -> "Observations":
        """The observations of a split of a dataset file, as codes of ``encoder`` where one is given."""
        return cls(None, n_latents, source=(Path(path), split), encoder=encoder)

    @property
    def in_memory(self) -> bool:
        """Whether :meth:`array` costs nothing."""
        return self._x is not None

    def after(self, count: int) -> Self:
        """The same observations without the first ``count`` rows."""
        rest = copy.copy(self)
        rest.n_samples = self.n_samples - count
        rest._first = self._first + count
        rest._x = None if self._x is None else self._x[count:]
        return rest

    def array(self, most: int | None = None) -> np.ndarray:
        """All rows, or the first ``most``, as float32 (n_samples, x_dim)."""
        if self._x is not None:
            return self._x[:most].astype(np.float32, copy=False)
        with hdf5.opened(self._source[0], "dataset") as file:
            rows = hdf5.rows(file, f"{self._source[1]}/x")
            count = self.n_samples if most is None else min(most, self.n_samples)
            return np.concatenate([self._encoded(block) for block in _blocks(rows, self._first, count)])

    def batches(self, batch_size: int, *, seed: int, start: int = 0) -> Iterator[np.ndarray]:
        """Endless shuffled batches of at most ``batch_size`` rows, from batch number ``start`` on.

        Batch ``t`` depends on ``seed`` and ``t`` only, so a resumed training sees what it would have seen.
        The last, smaller batch of an epoch is dropped unless it is the only one.
        """
        size = min(batch_size, self.n_samples)
        per_epoch = self.n_samples // size
        epoch, skip = divmod(start, per_epoch)
        while True:
            rng = child_generator(seed, "batches", epoch)
            epoch_batches = (
                self._memory_epoch(size, rng) if self._x is not None else self._streamed_epoch(size, rng)
            )
            for number, batch in enumerate(epoch_batches):
                if number >= skip:
                    yield batch
            epoch, skip = epoch + 1, 0

    def _memory_epoch(self, size: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
        order = rng.permutation(self.n_samples)
        for begin in range(0, self.n_samples - size + 1, size):
            yield self._x[order[begin : begin + size]].astype(np.float32, copy=False)

    def _streamed_epoch(self, size: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
        with hdf5.opened(self._source[0], "dataset") as file:
            rows = hdf5.rows(file, f"{self._source[1]}/x")
            chunk = hdf5.chunk_rows(rows)
            starts = rng.permutation(np.arange(self._first, self._first + self.n_samples, chunk))
            left = np.empty((0, *rows.shape[1:]), rows.dtype)
            for group in range(0, len(starts), BUFFER_CHUNKS):
                chunks = [rows[s : s + chunk] for s in starts[group : group + BUFFER_CHUNKS]]
                buffer = rng.permutation(np.concatenate([left, *chunks]))
                whole = len(buffer) // size * size
                for begin in range(0, whole, size):
                    yield self._encoded(buffer[begin : begin + size])
                left = buffer[whole:]

    def _encoded(self, rows: np.ndarray) -> np.ndarray:
        rows = rows.astype(np.float32, copy=False)
        return self._encoder.encode(rows) if self._encoder else rows


def _image_shape(file: h5py.File) -> tuple[int, ...] | None:
    facts = hdf5.about(file, "facts") if "facts" in file.attrs else {}
    return tuple(facts["image_shape"]) if isinstance(facts, dict) and "image_shape" in facts else None


def _blocks(rows: h5py.Dataset, first: int = 0, count: int | None = None) -> Iterator[np.ndarray]:
    step = BUFFER_CHUNKS * hdf5.chunk_rows(rows)
    end = rows.shape[0] if count is None else first + count
    for begin in range(first, end, step):
        yield rows[begin : min(begin + step, end)]
