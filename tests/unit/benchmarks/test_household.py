"""The household of the site's first example: its generator does what it says, and switches are read right."""

from types import SimpleNamespace

import numpy as np
import pytest
from comparison import best_f1, switched_on
from household import APPLIANCES, METERS, NOISE, SWITCHED, draw

DAYS = 5


@pytest.fixture(scope="module")
def household():
    return draw(seed=100, days=DAYS)


def test_meters_are_the_sum_of_the_appliances_and_an_error(household):
    mixing = np.stack([appliance.signature() for appliance in APPLIANCES.values()])
    assert mixing.shape == (len(APPLIANCES), len(METERS))
    assert np.linalg.matrix_rank(mixing) == len(APPLIANCES)  # or two could not be told apart
    errors = household.meters.to_numpy() - household.appliances.to_numpy() @ mixing
    assert errors.std(axis=0) == pytest.approx(NOISE * 3, rel=0.05)


def test_what_is_off_draws_exactly_nothing_and_what_is_on_varies(household):
    for name in SWITCHED:
        watts = household.appliances[name].to_numpy()
        assert 0.005 < (watts == 0).mean() < 0.995, name
        mean, deviation = APPLIANCES[name].watts
        assert watts[watts > 0].mean() == pytest.approx(mean, abs=deviation), name
    assert (household.appliances["always on"] > 0).all()


def test_a_seed_is_one_household_whatever_its_noise(household):
    loud = draw(seed=100, days=DAYS, noise=10)
    assert loud.appliances.equals(household.appliances)
    assert not draw(seed=101, days=DAYS).appliances.equals(household.appliances)


def test_on_is_where_the_slab_is_likelier_than_the_spike():
    fit = SimpleNamespace(
        spike_probability_=np.array([0.9, 0.9]),
        spike_centre_=np.zeros(2),
        spike_width_=np.array([0.1, 0.1]),
        slab_mean_=np.array([4.0, -4.0]),
        slab_scale_=np.ones(2),
    )
    assert switched_on(np.array([[0.0, 0.2], [3.0, -5.0]]), fit).tolist() == [[False, False], [True, True]]


def test_f1_is_1_on_either_side_of_a_threshold_and_less_without_one():
    on = np.array([False, False, True, True])
    assert best_f1(np.array([0.0, 1.0, 2.0, 3.0]), on) == 1.0
    assert best_f1(np.array([3.0, 2.0, 1.0, 0.0]), on) == 1.0
    assert best_f1(np.array([0.0, 3.0, 1.0, 2.0]), on) == pytest.approx(0.8)
