"""Sprites: every factor changes the image, and nothing else does."""

import numpy as np
import pytest

from pdgmm.data.sprite_drawing import SHAPES, draw_sprites
from pdgmm.data.sprites import FACTORS, RANGES, Sprites

SIZE = 32
MIDDLE = [0.25, 0.5, 0.5, 0.4]


def images(**changed):
    """One image of every shape, with the factors in the middle of their ranges except for those given."""
    values = dict(zip(FACTORS[1:], MIDDLE, strict=True)) | changed
    return draw_sprites(np.array([[shape, *values.values()] for shape in range(len(SHAPES))]), SIZE)


def coordinates(drawn):
    """The centre of mass (shapes, 2), x and y, in the unit frame."""
    places = (np.arange(SIZE) + 0.5) / SIZE
    mass = drawn.sum(axis=(1, 2))
    return np.column_stack([(drawn.sum(axis=1) @ places) / mass, (drawn.sum(axis=2) @ places) / mass])


def test_each_factor_changes_the_image_of_every_shape():
    plain = images()
    for name, value in {"scale": 0.3, "x": 0.6, "y": 0.6, "angle": 0.9}.items():
        assert (np.abs(images(**{name: value}) - plain).max(axis=(1, 2)) > 0.3).all(), name
    pairs = np.abs(plain[:, None] - plain[None]).max(axis=(2, 3))
    assert (pairs[~np.eye(len(SHAPES), dtype=bool)] > 0.3).all()


@pytest.mark.parametrize("scale", [0.2, 0.275, 0.35])
def test_the_area_is_the_square_of_the_scale_at_every_angle(scale):
    for angle in (0.0, 0.3, 1.0):
        areas = images(scale=scale, angle=angle).mean(axis=(1, 2))
        np.testing.assert_allclose(areas, scale**2, rtol=0.03)


def test_the_sprite_is_where_x_and_y_say():
    found = coordinates(images(x=0.4, y=0.65))
    np.testing.assert_allclose(found, np.tile([0.4, 0.65], (len(SHAPES), 1)), atol=0.002)


def test_a_turn_repeats_a_shape_only_outside_the_range_of_angles():
    for shape, period in enumerate((np.pi / 2, np.pi, 2 * np.pi / 3)):
        np.testing.assert_allclose(images(angle=0.1)[shape], images(angle=0.1 + period)[shape], atol=1e-9)
    angles = np.linspace(*RANGES[-1], 7)
    for shape in range(len(SHAPES)):
        drawn = np.array([images(angle=angle)[shape] for angle in angles])
        apart = np.abs(drawn[:, None] - drawn[None]).max(axis=(2, 3))
        assert apart[~np.eye(len(angles), dtype=bool)].min() > 0.1


def test_grey_values_are_smooth_in_the_factors():
    for name, value in zip(FACTORS[1:], MIDDLE, strict=True):
        step = np.abs(images(**{name: value + 1e-4}) - images(**{name: value}))
        assert 0 < step.max() < 0.01, name


def test_factors_are_independent_and_the_frame_is_never_touched():
    world = Sprites().build(100)
    drawn = world.sample("train", 4000, np.random.default_rng(100))
    assert (drawn["x"].shape, drawn["x"].dtype) == ((4000, SIZE * SIZE), np.float32)
    assert drawn["x"].min() == 0
    assert drawn["x"].max() == 1
    frames = drawn["x"].reshape(-1, SIZE, SIZE)
    border = np.concatenate([frames[:, [0, -1]].ravel(), frames[:, :, [0, -1]].ravel()])
    assert border.max() < 0.5
    correlation = np.corrcoef(drawn["z"].T)
    assert np.abs(correlation - np.eye(len(FACTORS))).max() < 0.06
    assert np.bincount(drawn["z"][:, 0].astype(int)).min() > 1200
    structure = world.structure()
    assert structure.arrays["factors"].tolist() == [3, 0, 0, 0, 0]
    assert structure.facts["picture_shape"] == [SIZE, SIZE, 1]
