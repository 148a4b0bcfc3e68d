import numpy as np
import pytest

from pdgmm.data import generator_class
from pdgmm.data.base import SPLITS
from pdgmm.data.masked_scm import MaskedScm
from pdgmm.data.two_bases import TwoBases


def test_is_registered():
    assert generator_class("two_bases") is TwoBases


def test_half_of_the_components_are_in_the_second_basis():
    world = TwoBases().build(0)
    arrays = world.structure().arrays
    assert arrays["in_second_basis"].sum() == len(world.masks) // 2
    drawn = world.sample("train", 2000, np.random.default_rng(0))
    second = world.in_second[drawn["component"]]
    np.testing.assert_array_equal(drawn["z"][~second], drawn["source"][~second])
    np.testing.assert_allclose(
        drawn["z"][second], drawn["source"][second] @ arrays["second_rotation"], atol=1e-5
    )
    assert np.abs(drawn["z"] - drawn["source"])[second].max() > 1


@pytest.mark.parametrize("split", SPLITS)
def test_the_source_is_that_of_one_basis(split):
    drawn, plain = (
        kind().build(1).sample(split, 300, np.random.default_rng(0)) for kind in (TwoBases, MaskedScm)
    )
    np.testing.assert_array_equal(drawn["source"], plain["z"])
    if split == "unmasked":
        np.testing.assert_array_equal(drawn["z"], drawn["source"])


@pytest.mark.parametrize("theta", [0.0, 30.0])
def test_assumption_3_6_fails_because_of_the_basis(theta):
    fact = TwoBases(theta=theta).build(0).structure().facts["assumption_3_6"]
    assert not fact["holds"]
    assert fact["why"].startswith("the supports share a point; 24 of 48")


@pytest.mark.parametrize("settings", [{"second_theta": 0.0}, {"theta": 45.0}, {"n": 2, "second_theta": 90.0}])
def test_assumption_3_6_holds_where_both_bases_are_one(settings):
    rho = {"rho": "1var"} if settings.get("n") == 2 else {}
    assert TwoBases(**settings, **rho).build(0).structure().facts["assumption_3_6"]["holds"]
