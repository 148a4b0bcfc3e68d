"""The data of diverse dictionary learning: supports, invertible networks, latents."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from pdgmm.data.dependency import Dependency, draw_latents
from pdgmm.data.dependency_supports import FAMILIES, ONLY_FIRST, ONLY_SECOND, SHARED, group_of, groups
from pdgmm.errors import UserError


@pytest.fixture(scope="module")
def worlds():
    return {family: Dependency(family=family).world(100) for family in FAMILIES}


@pytest.mark.parametrize("family", FAMILIES)
def test_the_jacobian_has_the_support_and_keeps_its_orientation(family, worlds):
    world = worlds[family]
    z = np.random.default_rng(1).normal(size=(500, 3))
    jacobian = world.outputs.jacobian(z)
    stored = world.structure().arrays["dependencies"]
    np.testing.assert_array_equal((jacobian != 0).any(axis=0), stored.astype(bool))
    np.testing.assert_array_equal(stored, FAMILIES[family](3))
    # By finite differences, away from kinks for almost all points.
    shifted = [(world.outputs(z + 1e-6 * step) - world.outputs(z)) / 1e-6 for step in np.eye(3)]
    assert np.median(np.abs(np.stack(shifted, axis=2) - jacobian)) < 1e-6
    signs = np.sign(np.linalg.det(jacobian))
    assert (signs == signs[0]).mean() > 0.99


@pytest.mark.parametrize("family", FAMILIES)
def test_distant_latents_are_not_seen_as_the_same(family, worlds):
    z = np.random.default_rng(2).normal(size=(800, 3))
    assert (pdist(worlds[family].outputs(z)) / pdist(z)).min() > 0.01


def test_samples_are_scaled_bent_and_noisy():
    clean, noisy = (
        Dependency(noise=noise).world(100).sample("train", 4000, np.random.default_rng(0))
        for noise in (0.0, 0.3)
    )
    np.testing.assert_array_equal(clean["z"], noisy["z"])
    np.testing.assert_allclose((noisy["x"] - clean["x"]).std(axis=0), 0.3, rtol=0.05)
    np.testing.assert_allclose(clean["x"].std(axis=0), 1, atol=0.25)
    design = np.column_stack([clean["z"], np.ones(4000)])
    rest = clean["x"] - design @ np.linalg.lstsq(design, clean["x"], rcond=None)[0]
    assert (rest.std(axis=0) > 0.05).all()


def test_the_structure_says_which_latents_are_covered(worlds):
    facts = {family: world.structure().facts for family, world in worlds.items()}
    assert facts["cyclic"]["sufficiently_diverse"]
    assert not facts["dense"]["sufficiently_diverse"]
    assert facts["dense"]["covered_by"] == [[], [], []]
    arrays = {family: set(world.structure().arrays) for family, world in worlds.items()}
    assert arrays["groups"] == {"dependencies", "groups"}
    assert arrays["cyclic"] == {"dependencies"}


@pytest.mark.parametrize("n", [3, 4, 5, 8])
def test_two_groups_share_latents_and_have_their_own(n):
    support, group = groups(n), group_of(n)
    assert support.shape == (n, n)
    first = support[: (n + 1) // 2].any(axis=0)
    second = support[(n + 1) // 2 :].any(axis=0)
    np.testing.assert_array_equal(group[first & second], SHARED)
    np.testing.assert_array_equal(group[first & ~second], ONLY_FIRST)
    np.testing.assert_array_equal(group[second & ~first], ONLY_SECOND)
    assert set(group.tolist()) == {ONLY_FIRST, SHARED, ONLY_SECOND}


def test_latents_of_every_law_have_variance_1():
    for law in ("gaussian", "uniform", "laplace"):
        z = draw_latents(law, (50_000, 2), np.random.default_rng(0))
        np.testing.assert_allclose(z.var(axis=0), 1, rtol=0.05)


def test_an_impossible_map_is_an_error_that_names_what_to_change():
    with pytest.raises(UserError, match=r"cyclic map of 3 latents.*`least_singular_value` \(5\) lower"):
        Dependency(least_singular_value=5.0, attempts=20).world(0)
