"""Images of balls as a dataset."""

import json

import numpy as np
import pytest
from pydantic import ValidationError

from pdgmm.data.balls.balls import Balls
from pdgmm.steps.generate import generate_dataset
from pdgmm.store import hdf5
from pdgmm.study.dataset_names import dataset_name, images_name

SMALL = {"samples": {"train": 60, "test": 40, "unmasked": 30}}


def test_the_file_holds_images_positions_and_facts_about_them(tmp_path):
    generate_dataset("balls", json.dumps({"balls": 3, "size": 32, **SMALL}), 0, tmp_path / "b.h5")
    with hdf5.opened(tmp_path / "b.h5", "dataset") as file:
        assert file["train/x"].shape == (60, 32 * 32 * 3)
        assert file["train/x"].dtype == np.uint8
        assert file["train/z"].shape == (60, 6)
        assert file["train/apart"].dtype == bool
        assert file["blocks"][()].tolist() == [0, 0, 1, 1, 2, 2]
        assert hdf5.about(file, "n_latents") == 6
        assert hdf5.about(file, "facts")["image_shape"] == [32, 32, 3]
        assert set(file) == {"train", "test", "unmasked", "blocks", "places"}


@pytest.mark.parametrize(("freeze", "share"), [("ball", 0.3), ("coordinate", 0.3)])
def test_balls_or_coordinates_rest_as_often_as_they_should(freeze, share):
    world = Balls(freeze=freeze, freeze_probability=share, size=8).build(0)
    z = world.sample("train", 4000, np.random.default_rng(0))["z"].reshape(-1, 2, 2)
    rests = z == world.places.astype(np.float32)
    np.testing.assert_allclose(rests.mean(0), share, atol=0.03)
    together = (rests[..., 0] == rests[..., 1]).mean()
    assert together == 1 if freeze == "ball" else together < 0.7


def test_the_component_says_what_rests():
    world = Balls(balls=2, freeze_probability=0.5, size=8).build(0)
    drawn = world.sample("train", 500, np.random.default_rng(0))
    rests = (drawn["z"].reshape(-1, 2, 2) == world.places.astype(np.float32)).all(-1)
    np.testing.assert_array_equal(drawn["component"], rests @ [1, 2])


def test_no_ball_rests_in_the_unmasked_split():
    world = Balls(freeze_probability=0.9, size=8).build(0)
    assert (world.sample("unmasked", 300, np.random.default_rng(0))["component"] == 0).all()


def test_coordinates_that_rest_each_for_itself_are_no_blocks():
    assert "blocks" not in Balls(freeze="coordinate").build(0).structure().arrays


def test_features_are_no_part_of_the_images_name():
    names = [dataset_name("balls", "balls", Balls(), Balls(features=name)) for name in ("keypoints", "cnn")]
    assert [name.split("@")[1] for name in names] == ["keypoints", "cnn"]
    assert len({images_name(name) for name in names}) == 1
    assert images_name("pdgmm-3a4ae43e") is None


@pytest.mark.parametrize(
    "wrong", [{"balls": 7}, {"size": 30}, {"freeze_probability": 0.0}, {"renderer": "gl"}]
)
def test_what_cannot_be_drawn_is_refused(wrong):
    with pytest.raises(ValidationError):
        Balls(**wrong)
