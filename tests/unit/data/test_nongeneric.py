import numpy as np
import pytest

from pdgmm.data import generator_class
from pdgmm.data.genericity import Component, indistinguishable_pairs
from pdgmm.data.nongeneric import NonGeneric


def test_is_registered():
    assert generator_class("nongeneric") is NonGeneric


@pytest.mark.parametrize("n", [2, 5, 10])
def test_every_component_is_a_line_through_the_origin(n):
    world = NonGeneric(n=n, distance=2.0).build(0)
    drawn = world.sample("train", 3000 * n, np.random.default_rng(0))
    np.testing.assert_array_equal(drawn["z"] != 0, np.eye(n, dtype=bool)[drawn["component"]])
    for latent in range(n):
        values = drawn["z"][drawn["component"] == latent, latent]
        assert abs(values.mean() / values.std()) == pytest.approx(2, abs=0.1)


@pytest.mark.parametrize("n", [2, 5, 10])
@pytest.mark.parametrize(("spread", "holds"), [(0.0, False), (0.5, True)])
def test_equal_distances_break_assumption_3_4_and_nothing_else(n, spread, holds):
    facts = NonGeneric(n=n, spread=spread).build(0).structure().facts
    assert facts["assumption_3_4"]["holds"] == holds
    assert all(facts[f"assumption_{name}"]["holds"] for name in ("3_6", "3_8a", "3_8b"))


def line(mean, direction):
    direction = np.array(direction, dtype=float)
    return Component(np.array(mean, dtype=float), np.outer(direction, direction))


def test_two_lines_in_a_plane():
    across = line([0, 1], [0, 1])
    assert indistinguishable_pairs([line([1, 0], [1, 0]), across]) == ([(0, 1)], 1)
    assert indistinguishable_pairs([line([-1, 0], [1, 0]), across]) == ([(0, 1)], 1)
    assert indistinguishable_pairs([line([2, 0], [1, 0]), across]) == ([], 1)
    assert indistinguishable_pairs([line([2, 0], [2, 0]), across]) == ([(0, 1)], 1)


def test_parallel_lines_and_unequal_ranks_do_not_count():
    parallel = [line([0, 0], [1, 0]), line([0, 1], [1, 0])]
    assert indistinguishable_pairs(parallel) == ([], 0)
    assert indistinguishable_pairs([line([0, 0], [1, 0]), Component(np.zeros(2), np.eye(2))]) == ([], 0)


def test_planes_are_compared_along_their_whole_intersection():
    one = Component(np.zeros(3), np.diag([1.0, 1.0, 0.0]))
    other = np.diag([0.0, 1.0, 1.0])
    assert indistinguishable_pairs([one, Component(np.zeros(3), other)]) == ([(0, 1)], 1)
    assert indistinguishable_pairs([one, Component(np.array([0, 0.5, 0]), other)]) == ([], 1)
    assert indistinguishable_pairs([one, Component(np.zeros(3), np.diag([0.0, 2.0, 1.0]))]) == ([], 1)
