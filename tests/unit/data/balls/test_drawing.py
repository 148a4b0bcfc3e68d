"""Drawing is a pure function of positions."""

from itertools import combinations

import numpy as np
import pytest

from pdgmm.data.balls.drawing import BACKGROUND, COLOURS, IMAGES_PER_SHEET, RENDERERS

every_renderer = pytest.mark.parametrize("name", list(RENDERERS))
SIZE = 64


def centroids(images):
    """Centre of mass (count, 2) of what is not background, in pixels."""
    ink = np.abs(images.astype(float) - BACKGROUND).sum(-1)
    middle = np.arange(SIZE) + 0.5
    total = ink.sum((1, 2))
    return np.stack([(ink.sum(1) * middle).sum(1), (ink.sum(2) * middle).sum(1)], axis=1) / total[:, None]


@pytest.mark.parametrize(("name", "tolerance"), [("subpixel", 0.1), ("integer", 1.0)])
def test_a_ball_is_drawn_where_it_is(name, tolerance):
    positions = np.random.default_rng(0).uniform(0.15, 0.85, (500, 1, 2))
    images = RENDERERS[name](SIZE, 0.1).draw(positions)
    assert np.abs(centroids(images) - SIZE * positions[:, 0]).max() < tolerance


@every_renderer
def test_the_same_positions_give_the_same_bytes_however_many_are_drawn_at_once(name):
    positions = np.random.default_rng(1).uniform(0.05, 0.95, (2 * IMAGES_PER_SHEET + 3, 4, 2))
    images = RENDERERS[name](SIZE, 0.1).draw(positions)
    one_by_one = np.concatenate([RENDERERS[name](SIZE, 0.1).draw(scene[None]) for scene in positions[::40]])
    np.testing.assert_array_equal(images[::40], one_by_one)


@every_renderer
def test_a_ball_at_the_edge_does_not_reach_into_the_next_image(name):
    positions = np.array([[[0.5, 0.97]], [[0.5, 0.5]]])
    images = RENDERERS[name](SIZE, 0.1).draw(positions)
    np.testing.assert_array_equal(images[1], RENDERERS[name](SIZE, 0.1).draw(positions[1:])[0])
    assert (images[1, :20] == 255).all()


@every_renderer
def test_a_ball_hides_those_before_it_and_shows_its_colour(name):
    positions = np.full((1, len(COLOURS), 2), 0.5)
    for balls in range(1, len(COLOURS) + 1):
        image = RENDERERS[name](SIZE, 0.1).draw(positions[:, :balls])[0]
        assert tuple(image[SIZE // 2, SIZE // 2]) == COLOURS[balls - 1]
    distances = [np.linalg.norm(np.subtract(one, other)) for one, other in combinations(COLOURS, 2)]
    assert min(distances) > 60


def test_soft_edges_follow_the_position_below_a_pixel():
    positions = np.array([[[0.5, 0.5]], [[0.5 + 0.25 / SIZE, 0.5]]])
    first, second = RENDERERS["subpixel"](SIZE, 0.1).draw(positions)
    assert not np.array_equal(first, second)
    first, second = RENDERERS["integer"](SIZE, 0.1).draw(positions)
    np.testing.assert_array_equal(first, second)
