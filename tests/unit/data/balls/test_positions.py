"""Where balls are."""

import numpy as np
import pytest

from pdgmm.data.balls.positions import (
    FRAME_RANGE,
    REST_DISTANCE,
    REST_RANGE,
    SPREAD,
    apart,
    draw_positions,
    draw_resting_places,
)


@pytest.mark.parametrize("balls", [1, 2, 4, 6])
def test_resting_places_are_in_the_middle_and_far_apart(balls):
    for seed in range(20):
        places = draw_resting_places(balls, np.random.default_rng(seed))
        assert places.shape == (balls, 2)
        assert places.min() >= REST_RANGE[0]
        assert places.max() <= REST_RANGE[1]
        distance = np.linalg.norm(places[:, None] - places[None], axis=-1) + 9 * np.eye(balls)
        assert distance.min() > REST_DISTANCE


def test_balls_move_around_their_places_inside_the_frame():
    places = np.array([[0.3, 0.7], [0.5, 0.5]])
    positions = draw_positions(places, np.zeros((20_000, 2, 2), bool), np.random.default_rng(0))
    assert positions.min() >= FRAME_RANGE[0]
    assert positions.max() <= FRAME_RANGE[1]
    np.testing.assert_allclose(positions.mean(0), places, atol=0.005)
    np.testing.assert_allclose(positions.std(0), SPREAD, atol=0.005)


def test_what_is_frozen_rests_and_nothing_else():
    places = np.array([[0.3, 0.7], [0.5, 0.5]])
    frozen = np.random.default_rng(1).random((500, 2, 2)) < 0.3
    positions = draw_positions(places, frozen, np.random.default_rng(0))
    np.testing.assert_array_equal(positions == places, frozen)


def test_balls_are_apart_when_their_edges_are():
    scenes = np.array([[[0.2, 0.2], [0.5, 0.2]], [[0.2, 0.2], [0.39, 0.2]], [[0.2, 0.2], [0.3, 0.3]]])
    assert apart(scenes, 0.1).tolist() == [True, False, False]
