"""Handwritten digits in two colours."""

import numpy as np
import pytest

from pdgmm.data.written_digits import COLOURS, WrittenDigits

SAMPLES = {"train": 1297, "test": 500}


def drawn(draw=0, **settings):
    world = WrittenDigits(source="digits", samples=SAMPLES, draw=draw, **settings).build(0)
    rng = np.random.default_rng(0)
    return world, {split: world.sample(split, count, rng) for split, count in SAMPLES.items()}


def test_every_image_is_its_grey_one_in_the_colour_of_its_domain():
    world, coloured = drawn(colours=2)
    _, grey = drawn()
    assert world.structure().facts["picture_shape"] == [8, 8, 3]
    for split, count in SAMPLES.items():
        x, u = coloured[split]["x"], coloured[split]["u"]
        assert (x.shape, x.dtype, x.min(), x.max()) == ((count, 192), np.float32, 0, 1)
        assert np.bincount(u) == pytest.approx([count / 2, count / 2], rel=0.1)
        expected = grey[split]["x"].reshape(count, 64, 1) * COLOURS[u][:, None]
        np.testing.assert_array_equal(x.reshape(count, 64, 3), expected)


def test_colours_depend_on_the_draw_only():
    one, same, other = (drawn(draw, colours=2)[1]["train"] for draw in (3, 3, 4))
    for name in ("x", "u"):
        assert one[name].tobytes() == same[name].tobytes()
        assert one[name].tobytes() != other[name].tobytes()
