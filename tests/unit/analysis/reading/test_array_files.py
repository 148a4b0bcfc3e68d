"""NumPy and HDF5 files, and folders of images."""

import h5py
import numpy as np
import pytest
from PIL import Image
from small_tables import numbers

from pdgmm.analysis.options import ReadOptions
from pdgmm.analysis.reading.own_data import read
from pdgmm.errors import UserError
from pdgmm.store import hdf5


@pytest.mark.parametrize("kind", ["<f4", ">f4", "f8", "i4", "?", "f2"])
def test_an_npy_file_is_read(tmp_path, kind):
    table = np.rint(numbers()).astype(kind)
    np.save(tmp_path / "t.npy", table)
    data = read(tmp_path / "t.npy")
    assert data.columns == ("x1", "x2", "x3")
    np.testing.assert_array_equal(data.values, table.astype(np.float32))


def test_arrays_of_images_keep_their_shape(tmp_path):
    images = np.random.default_rng(0).integers(0, 255, (20, 4, 5, 3), np.uint8)
    np.save(tmp_path / "t.npy", images)
    data = read(tmp_path / "t.npy")
    assert data.image_shape == (4, 5, 3)
    np.testing.assert_array_equal(data.values.reshape(images.shape), images)
    np.save(tmp_path / "t.npy", images[..., 0])
    assert read(tmp_path / "t.npy").image_shape == (4, 5, 1)
    np.save(tmp_path / "t.npy", np.zeros((20, 4, 5)))
    assert read(tmp_path / "t.npy").values.shape == (20, 20), "no pixel is left out"
    with pytest.raises(UserError, match="of images all pixels are read"):
        read(tmp_path / "t.npy", ReadOptions(drop_columns=["x1"]))


@pytest.mark.parametrize("shape", [(9,), (2, 3, 4, 5), (2, 3, 4, 3, 1)])
def test_arrays_of_other_shapes_are_refused(tmp_path, shape):
    np.save(tmp_path / "t.npy", np.ones(shape))
    with pytest.raises(UserError, match=r"t.npy has shape .*: give an array \(rows, columns\)"):
        read(tmp_path / "t.npy")


def test_an_npz_of_one_array_is_read_and_of_several_one_is_chosen(tmp_path):
    np.savez(tmp_path / "t.npz", numbers())
    np.testing.assert_array_equal(read(tmp_path / "t.npz").values, numbers())
    np.savez(tmp_path / "t.npz", x=numbers(), y=np.ones(4), names=np.array([None]))
    np.testing.assert_array_equal(read(tmp_path / "t.npz", ReadOptions(array="x")).values, numbers())
    listing = r"--array; it holds x \(600, 3\), y \(4,\), names \(Python objects\)"
    with pytest.raises(UserError, match=f"holds several arrays: .*{listing}"):
        read(tmp_path / "t.npz")
    with pytest.raises(UserError, match=f"has no array 'z': .*{listing}"):
        read(tmp_path / "t.npz", ReadOptions(array="z"))


def test_objects_in_an_npy_file_are_never_unpickled(tmp_path):
    np.save(tmp_path / "t.npy", np.array([[print, 1]], dtype=object))
    with pytest.raises(UserError, match="t.npy cannot be read"):
        read(tmp_path / "t.npy")


def test_of_the_tables_of_an_hdf5_file_one_is_read(tmp_path):
    path = tmp_path / "t.h5"
    with h5py.File(path, "w") as file:
        file["times"] = np.arange(600)
    with pytest.raises(UserError, match=r"t\.h5 holds no arrays of numbers"):
        read(path)
    with h5py.File(path, "a") as file:
        file["deep/inside"] = numbers()
    np.testing.assert_array_equal(read(path).values, numbers())
    with h5py.File(path, "a") as file:
        file["group/two"] = numbers(9, 2)
    with pytest.raises(UserError, match=r"--array; it holds deep/inside \(600, 3\), group/two \(9, 2\)"):
        read(path)
    np.testing.assert_array_equal(read(path, ReadOptions(array="/group/two")).values, numbers(9, 2))


def test_of_a_dataset_of_ours_only_observations_are_read(tmp_path):
    with hdf5.create(tmp_path / "t.h5", "dataset", {"facts": {"image_shape": [2, 2, 1]}}) as file:
        hdf5.put(file, "train/x", numbers(600, 4))
        hdf5.put(file, "train/z", numbers(600, 2))
        hdf5.put(file, "test/x", numbers(50, 4, seed=1))
    data = read(tmp_path / "t.h5")
    np.testing.assert_array_equal(data.values, numbers(600, 4))
    assert data.image_shape == (2, 2, 1)
    test = read(tmp_path / "t.h5", ReadOptions(array="test/x"))
    np.testing.assert_array_equal(test.values, numbers(50, 4, seed=1))
    with pytest.raises(UserError, match=r"no array 'train/z'.*holds test/x \(50, 4\), train/x \(600, 4\)$"):
        read(tmp_path / "t.h5", ReadOptions(array="train/z"))


def save_images(folder, shapes):
    generator = np.random.default_rng(0)
    pixels = [generator.integers(0, 255, shape, np.uint8) for shape in shapes]
    for number, each in enumerate(pixels):
        Image.fromarray(each).save(folder / f"{number:03}.png")
    return pixels


@pytest.mark.parametrize(("shape", "read_as"), [((4, 6, 3), (4, 6, 3)), ((4, 6), (4, 6, 1))])
def test_a_folder_of_images_is_read_in_the_order_of_names(tmp_path, shape, read_as):
    pixels = save_images(tmp_path, [shape] * 12)
    (tmp_path / "labels.csv").write_text("a\n")
    (tmp_path / ".hidden").write_text("a\n")
    data = read(tmp_path)
    assert data.image_shape == read_as
    np.testing.assert_array_equal(data.values.reshape(12, *shape), pixels)
    assert list(data.index[:2]) == ["000.png", "001.png"]
    assert "1 file left out, because not an image: labels.csv." in data.notes


def test_an_alpha_channel_is_left_out_and_of_many_images_a_sample_is_read(tmp_path):
    pixels = save_images(tmp_path, [(4, 6, 4)] * 12)
    data = read(tmp_path, ReadOptions(max_rows=5))
    np.testing.assert_array_equal(
        data.values, [pixels[int(name[:3])][..., :3].ravel() for name in data.index]
    )


@pytest.mark.parametrize("other", [(6, 4), (4, 6, 3)])
def test_the_first_image_of_another_size_is_named(tmp_path, other):
    save_images(tmp_path, [(4, 6), (4, 6), other, other])
    with pytest.raises(UserError, match=r"002.png is .* and 000.png is 6 x 4 pixels grey: bring all"):
        read(tmp_path)


def test_folders_without_images_and_broken_images_are_named(tmp_path):
    with pytest.raises(UserError, match="folder without images"):
        read(tmp_path)
    (tmp_path / "a.png").write_bytes(b"no image")
    with pytest.raises(UserError, match="a.png cannot be read as an image"):
        read(tmp_path)
