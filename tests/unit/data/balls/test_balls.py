"""Images of balls as a dataset, and where balls are."""

import numpy as np
import pytest

from pdgmm.data.balls import balls as rules
from pdgmm.data.balls.balls import Balls, apart, draw_positions, draw_resting_places

PLACES = np.array([[0.3, 0.7], [0.5, 0.5]])


def drawn(world, count=500, split="train"):
    return world.sample(split, count, np.random.default_rng(0))


def test_images_positions_and_facts_about_them():
    world = Balls(balls=3, size=32).build(0)
    arrays, structure = drawn(world, 60), world.structure()
    assert arrays["x"].shape == (60, 32 * 32 * 3)
    assert arrays["x"].dtype == np.uint8
    assert arrays["z"].shape == (60, world.n_latents) == (60, 6)
    assert arrays["apart"].dtype == bool
    assert structure.arrays["blocks"].tolist() == [0, 0, 1, 1, 2, 2]
    assert structure.facts == {"image_shape": [32, 32, 3]}
    assert "blocks" not in Balls(freeze="coordinate").build(0).structure().arrays


@pytest.mark.parametrize(("freeze", "share"), [("ball", 0.3), ("coordinate", 0.3)])
def test_balls_or_coordinates_rest_as_often_as_they_should(freeze, share):
    world = Balls(freeze=freeze, freeze_probability=share, size=8).build(0)
    rests = drawn(world, 4000)["z"].reshape(-1, 2, 2) == world.places.astype(np.float32)
    np.testing.assert_allclose(rests.mean(0), share, atol=0.03)
    together = (rests[..., 0] == rests[..., 1]).mean()
    assert together == 1 if freeze == "ball" else together < 0.7


def test_the_component_says_what_rests_which_is_nothing_where_all_is_unmasked():
    world = Balls(balls=2, freeze_probability=0.5, size=8).build(0)
    arrays = drawn(world)
    rests = (arrays["z"].reshape(-1, 2, 2) == world.places.astype(np.float32)).all(-1)
    np.testing.assert_array_equal(arrays["component"], rests @ [1, 2])
    assert (drawn(world, split="unmasked")["component"] == 0).all()


@pytest.mark.parametrize("balls", [1, 2, 4, 6])
def test_resting_places_are_in_the_middle_and_far_apart(balls):
    for seed in range(5):
        places = draw_resting_places(balls, np.random.default_rng(seed))
        assert places.shape == (balls, 2)
        assert rules.REST_RANGE[0] <= places.min() <= places.max() <= rules.REST_RANGE[1]
        distance = np.linalg.norm(places[:, None] - places[None], axis=-1) + 9 * np.eye(balls)
        assert distance.min() > rules.REST_DISTANCE


def test_balls_move_around_their_places_inside_the_frame():
    positions = draw_positions(PLACES, np.zeros((20_000, 2, 2), bool), np.random.default_rng(0))
    assert rules.FRAME_RANGE[0] <= positions.min() <= positions.max() <= rules.FRAME_RANGE[1]
    np.testing.assert_allclose(positions.mean(0), PLACES, atol=0.005)
    np.testing.assert_allclose(positions.std(0), rules.SPREAD, atol=0.005)


def test_what_is_frozen_rests_and_nothing_else():
    frozen = np.random.default_rng(1).random((500, 2, 2)) < 0.3
    positions = draw_positions(PLACES, frozen, np.random.default_rng(0))
    np.testing.assert_array_equal(positions == PLACES, frozen)


def test_balls_are_apart_when_their_edges_are():
    scenes = np.array([[[0.2, 0.2], [0.5, 0.2]], [[0.2, 0.2], [0.39, 0.2]], [[0.2, 0.2], [0.3, 0.3]]])
    assert apart(scenes, 0.1).tolist() == [True, False, False]
