"""What a method is given: batches in an order that depends on the seed only, and what it declares beside x."""

import itertools
import tracemalloc

import numpy as np
import pytest

from pdgmm.errors import UserError
from pdgmm.fitting import samples
from pdgmm.fitting.samples import Samples
from pdgmm.store import hdf5


@pytest.fixture
def x():
    return np.random.default_rng(0).normal(size=(10_000, 3)).astype(np.float32)


@pytest.fixture
def dataset(tmp_path, x):
    """A file whose ``u`` is the number of the row, and whose ``z`` is truth."""
    path = tmp_path / "d.h5"
    with hdf5.create(path, "dataset", {"n_latents": 3}) as file:
        hdf5.put(file, "train/x", x, hdf5.OBSERVED)
        hdf5.put(file, "train/u", np.arange(10_000), hdf5.OBSERVED)
        hdf5.put(file, "train/z", x, hdf5.TRUTH)
        hdf5.put(file, "masks", np.eye(3), hdf5.TRUTH)
    return path


@pytest.fixture(params=["in memory", "streamed"])
def data(request, dataset, monkeypatch):
    monkeypatch.setattr(samples, "IN_MEMORY_BYTES", 2**30 if request.param == "in memory" else 0)
    return Samples.from_file(dataset, sees=["u"])


def rows(data, count, name="x", **options):
    return np.concatenate([batch[name] for batch in itertools.islice(data.batches(900, **options), count)])


@pytest.mark.parametrize("first", [0, 100, 5000])
def test_side_variables_are_those_of_the_same_rows_and_an_epoch_holds_every_row_once(data, x, first):
    rest = data.after(first // 2).after(first - first // 2)
    assert (rest.n_samples, rest.x_dim, rest.n_latents) == (10_000 - first, 3, 3)
    np.testing.assert_array_equal(rest.array(), x[first:])
    np.testing.assert_array_equal(rest.array(17), x[first : first + 17])
    np.testing.assert_array_equal(rest.side["u"], np.arange(first, 10_000))
    epoch = rest.n_samples // 900
    seen, numbers = (rows(rest, epoch, name, seed=1) for name in ("x", "u"))
    np.testing.assert_array_equal(seen, x[numbers])
    assert len(set(numbers)) == len(numbers) == 900 * epoch
    assert numbers.min() >= first
    assert not np.array_equal(numbers, np.sort(numbers))


def test_batch_t_depends_on_the_seed_and_t_only(data):
    from_start = rows(data, 30, seed=1)
    np.testing.assert_array_equal(from_start[17 * 900 :], rows(data, 13, seed=1, start=17))
    assert not np.array_equal(from_start[:900], rows(data, 1, seed=2))


def test_a_method_that_declares_nothing_gets_x_alone_and_one_that_does_gets_its_truth(dataset, x):
    data = Samples.from_file(dataset)
    assert (data.side, data.told) == ({}, {})
    assert set(next(data.batches(8, seed=0))) == {"x"}
    told = Samples.from_file(dataset, told=["z", "masks"]).told
    np.testing.assert_array_equal(told["z"], x)
    np.testing.assert_array_equal(told["masks"], np.eye(3))


@pytest.mark.parametrize(
    "asked", [{"sees": ["v"]}, {"sees": ["z"]}, {"sees": ["masks"]}, {"told": ["component"]}, {"told": ["u"]}]
)
def test_what_a_dataset_lacks_or_has_in_another_role_is_named(dataset, asked):
    ((name,),) = asked.values()
    with pytest.raises(UserError, match=rf"d\.h5: '{name}'"):
        Samples.from_file(dataset, **asked)


def test_codes_take_the_place_of_x_and_the_side_variables_stay(dataset, x, tmp_path):
    with hdf5.create(tmp_path / "code.h5", "latents", {}) as file:
        hdf5.put(file, "train/z_hat", 2 * x[:, :1])
    data = Samples.from_file(dataset, code=tmp_path / "code.h5", n_latents=1, sees=["u"])
    assert (data.x_dim, data.n_latents) == (1, 1)
    batch = next(data.batches(50, seed=0))
    np.testing.assert_array_equal(batch["x"], 2 * x[batch["u"], :1])


def test_a_file_larger_than_the_limit_is_streamed_in_flat_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(samples, "IN_MEMORY_BYTES", 2**20)
    path = tmp_path / "large.h5"
    with hdf5.create(path, "dataset", {"n_latents": 10}) as file:
        hdf5.extendable(file, "train/x", (600_000, 10), np.dtype(np.float32))
    tracemalloc.start()
    for _ in itertools.islice(Samples.from_file(path).batches(4096, seed=0), 140):
        pass
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 600_000 * 10 * 4 / 1.5


def test_bytes_stay_bytes_in_memory_and_are_handed_out_as_floats(tmp_path):
    images = np.arange(48, dtype=np.uint8).reshape(4, 12)
    with hdf5.create(
        tmp_path / "d.h5", "dataset", {"n_latents": 2, "facts": {"image_shape": [2, 2, 3]}}
    ) as file:
        hdf5.put(file, "train/x", images)
    data = Samples.from_file(tmp_path / "d.h5")
    assert data._x.dtype == np.uint8
    assert data.image_shape == (2, 2, 3)
    assert data.array().dtype == next(data.batches(2, seed=0))["x"].dtype == np.float32


def test_more_rows_asked_for_than_there_are_is_one_batch(x):
    assert next(Samples(x[:50], 3).batches(1000, seed=0))["x"].shape == (50, 3)


def test_values_that_are_not_finite_are_counted(x):
    x[3, 1], x[7, 0] = np.nan, np.inf
    with pytest.raises(UserError, match="2 of 30000 values"):
        Samples(x, 3)


def test_a_side_variable_has_a_value_a_sample(x):
    with pytest.raises(UserError, match="10000 samples but 9 values of 'u'"):
        Samples(x, 3, side={"u": np.arange(9)})
