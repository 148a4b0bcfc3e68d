"""Where balls are."""

import numpy as np
import pytest

from pdgmm.data.balls import positions as rules
from pdgmm.data.balls.positions import apart, draw_positions, draw_resting_places

PLACES = np.array([[0.3, 0.7], [0.5, 0.5]])


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
