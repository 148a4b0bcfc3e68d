"""All that a method gets to see: named arrays of training samples, and the number of latents that it should find."""

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import h5py
import numpy as np

from pdgmm.errors import UserError
from pdgmm.seeds import child_generator
from pdgmm.store import hdf5
from pdgmm.store.splits import TRAIN, array_with_role

IN_MEMORY_BYTES = 2**30
"""Observations up to this size are kept in memory; larger ones are streamed. It does not depend on the machine's
memory, since the order of the batches depends on it."""

BUFFER_CHUNKS = 16
"""Streaming shuffles the chunks, then the rows of this many chunks together."""

Batch = dict[str, np.ndarray]
"""Arrays by name, with one row per sample: ``x``, and the side variables that the method sees."""


@dataclass(frozen=True)
class _Source:
    """An array in an HDF5 file of ours: observations in a dataset, or codes of another method."""

    path: Path
    kind: str
    array: str


class Samples:
    """Training samples, from arrays or streamed from an HDF5 file.

    ``n_latents`` is how many hidden variables the method should find. ``side`` holds what else is observed about
    every sample (``u``), and ``told`` the truth that the method is told; both only hold what the method declares
    that it needs. ``image_shape`` is (height, width, colours) if the rows are images, else None. Bytes stay bytes
    in memory; methods get float32.
    """

    def __init__(
        self,
        x: np.ndarray | None,
        n_latents: int,
        *,
        side: Mapping[str, np.ndarray] | None = None,
        told: Mapping[str, np.ndarray] | None = None,
        source: _Source | None = None,
    ) -> None:
        if (x is None) == (source is None):
            raise ValueError("give either an array or a file")
        self.n_latents = n_latents
        self.side = dict(side or {})
        self.told = dict(told or {})
        self.image_shape: tuple[int, ...] | None = None
        self._source = source
        self._first = 0
        if x is None:
            with hdf5.opened(source.path, source.kind) as file:
                rows = hdf5.rows(file, source.array)
                self.n_samples, self.x_dim = int(rows.shape[0]), int(rows.shape[1])
                facts = hdf5.about(file, "facts") if "facts" in file.attrs else {}
                self.image_shape = tuple(facts["image_shape"]) if "image_shape" in facts else None
                kept = rows.dtype if rows.dtype == np.uint8 else np.dtype(np.float32)
                if rows.size * kept.itemsize <= IN_MEMORY_BYTES:
                    x = np.concatenate([block.astype(kept, copy=False) for block in _blocks(rows)])
        else:
            x = np.ascontiguousarray(x, dtype=np.float32)
            self.n_samples, self.x_dim = x.shape
        if x is not None and not np.isfinite(x).all():
            where = f"{source.path}:{source.array}" if source else "the observations"
            bad = int(np.count_nonzero(~np.isfinite(x)))
            raise UserError(
                f"{where}: {bad} of {x.size} values are NaN or infinite; remove or replace them first"
            )
        for name, values in self.side.items():
            if len(values) != self.n_samples:
                raise UserError(
                    f"{self.n_samples} samples but {len(values)} values of {name!r}: give one a sample"
                )
        self._x = x

    @classmethod
    def from_file(
        cls,
        dataset: Path,
        *,
        code: Path | None = None,
        n_latents: int | None = None,
        sees: Sequence[str] = (),
        told: Sequence[str] = (),
    ) -> Self:
        """The training samples of a dataset; with ``code``, another method's codes of them instead of ``x``.

        ``sees`` and ``told`` name the side variables and the truth that the method needs.
        """
        with hdf5.opened(dataset, "dataset") as file:
            side = {name: array_with_role(file, TRAIN, name, hdf5.OBSERVED) for name in sees}
            truth = {name: array_with_role(file, TRAIN, name, hdf5.TRUTH) for name in told}
            asked = int(hdf5.about(file, "n_latents")) if n_latents is None else n_latents
        path, kind, array = (dataset, "dataset", "x") if code is None else (code, "latents", "z_hat")
        return cls(None, asked, side=side, told=truth, source=_Source(Path(path), kind, f"{TRAIN}/{array}"))

    def after(self, count: int) -> Self:
        """The same samples without the first ``count``."""
        rest = copy.copy(self)
        rest.n_samples = self.n_samples - count
        rest._first = self._first + count
        rest._x = None if self._x is None else self._x[count:]
        rest.side = {name: values[count:] for name, values in self.side.items()}
        return rest

    def array(self, most: int | None = None) -> np.ndarray:
        """``x`` of all samples, or of the first ``most``, as float32 (n_samples, x_dim)."""
        if self._x is not None:
            return self._x[:most].astype(np.float32, copy=False)
        with hdf5.opened(self._source.path, self._source.kind) as file:
            rows = hdf5.rows(file, self._source.array)
            count = self.n_samples if most is None else min(most, self.n_samples)
            blocks = _blocks(rows, self._first, count)
            return np.concatenate([block.astype(np.float32, copy=False) for block in blocks])

    def batches(self, batch_size: int, *, seed: int, start: int = 0) -> Iterator[Batch]:
        """Endless shuffled batches of at most ``batch_size`` samples, from batch number ``start`` on.

        Batch ``t`` depends only on ``seed`` and ``t``, so a resumed training sees the same batches.
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
            for number, (x, places) in enumerate(epoch_batches):
                if number >= skip:
                    x = x.astype(np.float32, copy=False)
                    yield {"x": x} | {name: values[places] for name, values in self.side.items()}
            epoch, skip = epoch + 1, 0

    def _memory_epoch(self, size: int, rng: np.random.Generator) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        order = rng.permutation(self.n_samples)
        for begin in range(0, self.n_samples - size + 1, size):
            places = order[begin : begin + size]
            yield self._x[places], places

    def _streamed_epoch(self, size: int, rng: np.random.Generator) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Rows and their positions among these samples."""
        with hdf5.opened(self._source.path, self._source.kind) as file:
            rows = hdf5.rows(file, self._source.array)
            chunk, end = hdf5.chunk_rows(rows), rows.shape[0]
            starts = rng.permutation(np.arange(self._first, self._first + self.n_samples, chunk))
            left, left_places = np.empty((0, *rows.shape[1:]), rows.dtype), np.empty(0, dtype=np.int64)
            for group in range(0, len(starts), BUFFER_CHUNKS):
                chosen = starts[group : group + BUFFER_CHUNKS]
                buffer = np.concatenate([left, *(rows[s : s + chunk] for s in chosen)])
                places = np.concatenate([left_places, *(np.arange(s, min(s + chunk, end)) for s in chosen)])
                order = rng.permutation(len(buffer))
                buffer, places = buffer[order], places[order]
                whole = len(buffer) // size * size
                for begin in range(0, whole, size):
                    part = slice(begin, begin + size)
                    yield buffer[part], places[part] - self._first
                left, left_places = buffer[whole:], places[whole:]


def _blocks(rows: h5py.Dataset, first: int = 0, count: int | None = None) -> Iterator[np.ndarray]:
    step = BUFFER_CHUNKS * hdf5.chunk_rows(rows)
    end = rows.shape[0] if count is None else first + count
    for begin in range(first, end, step):
        yield rows[begin : min(begin + step, end)]
