"""What a stage is given: batches in an order that depends on the seed only, and nothing but x."""

import itertools
import tracemalloc

import numpy as np
import pytest

from pdgmm.errors import UserError
from pdgmm.fitting import samples as observations
from pdgmm.fitting.samples import Samples
from pdgmm.models.affine_model import AffineModel
from pdgmm.store import hdf5


@pytest.fixture
def x():
    return np.random.default_rng(0).normal(size=(10_000, 3)).astype(np.float32)


@pytest.fixture
def dataset(tmp_path, x):
    path = tmp_path / "d.h5"
    with hdf5.create(path, "dataset", {}) as file:
        hdf5.put(file, "train/x", x)
    return path


def rows(batches, count):
    return np.concatenate(list(itertools.islice(batches, count)))


def sorted_rows(array):
    return array[np.lexsort(array.T)]


@pytest.mark.parametrize("streamed", [False, True])
def test_an_epoch_holds_every_row_once_in_a_shuffled_order(dataset, x, streamed, monkeypatch):
    monkeypatch.setattr(observations, "IN_MEMORY_BYTES", 0 if streamed else 2**30)
    data = Samples.from_file(dataset, 3)
    assert data.in_memory is not streamed
    epoch = rows(data.batches(1000, seed=1), 10)
    assert not np.array_equal(epoch, x)
    np.testing.assert_array_equal(sorted_rows(epoch), sorted_rows(x))


@pytest.mark.parametrize("streamed", [False, True])
def test_batch_t_depends_on_the_seed_and_t_only(dataset, streamed, monkeypatch):
    monkeypatch.setattr(observations, "IN_MEMORY_BYTES", 0 if streamed else 2**30)
    data = Samples.from_file(dataset, 3)
    from_start = list(itertools.islice(data.batches(900, seed=1), 30))
    resumed = list(itertools.islice(data.batches(900, seed=1, start=17), 13))
    np.testing.assert_array_equal(from_start[17:], resumed)
    assert not np.array_equal(from_start[0], next(data.batches(900, seed=2)))


def test_a_file_larger_than_the_limit_is_streamed_in_flat_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(observations, "IN_MEMORY_BYTES", 2**20)
    path = tmp_path / "large.h5"
    with hdf5.create(path, "dataset", {}) as file:
        hdf5.extendable(file, "train/x", (600_000, 10), np.dtype(np.float32))
    tracemalloc.start()
    for _ in itertools.islice(Samples.from_file(path, 10).batches(4096, seed=0), 140):
        pass
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 600_000 * 10 * 4 / 1.5


def test_codes_come_through_the_encoder(dataset, x):
    encoder = AffineModel(np.zeros(3), np.array([[1.0, 1.0, 0.0]]))
    codes = Samples.from_file(dataset, 1, encoder=encoder)
    assert codes.x_dim == 1
    np.testing.assert_allclose(codes.array()[:, 0], x[:, 0] + x[:, 1], rtol=1e-5)


def test_more_rows_asked_for_than_there_are_is_one_batch(x):
    assert next(Samples(x[:50], 3).batches(1000, seed=0)).shape == (50, 3)


def test_values_that_are_not_finite_are_counted(x):
    x[3, 1], x[7, 0] = np.nan, np.inf
    with pytest.raises(UserError, match="2 of 30000 values are NaN or infinite"):
        Samples(x, 3)
