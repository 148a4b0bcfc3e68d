"""Worlds that break an assumption, and say so: blocks, two bases, equal distances, full-rank mixtures."""

import numpy as np
import pytest
from pydantic import ValidationError

from pdgmm.data.block_masks import BlockMaskedScm
from pdgmm.data.gmm import Gmm
from pdgmm.data.masked_scm import MaskedScm
from pdgmm.data.masks import draw_masks, inseparable_latents, spanned_by_subsets
from pdgmm.data.nongeneric import NonGeneric, indistinguishable_pairs
from pdgmm.data.two_bases import TwoBases, common_basis


def sample(world, count, split="train"):
    return world.sample(split, count, np.random.default_rng(0))


def holds(settings):
    facts = settings.build(0).structure().facts
    return [facts[f"assumption_{name}"]["holds"] for name in ("3_6", "3_8a", "3_8b")]


# ---- blocks


@pytest.mark.parametrize("sizes", [[2, 2, 2, 2, 2], [1, 1, 1, 3, 4], [1, 1, 2, 6]])
def test_the_latents_of_a_block_are_active_together_and_blocks_apart(sizes):
    world = BlockMaskedScm(blocks=sizes, observation_noise=20.0).build(0)
    arrays = world.structure().arrays
    block, masks = arrays["blocks"], arrays["masks"]
    assert np.bincount(block).tolist() == sizes
    first = np.flatnonzero(np.diff(block, prepend=-1))
    np.testing.assert_array_equal(masks, masks[:, first][:, block])
    assert not inseparable_latents(masks[:, first])
    assert (masks[:, first].sum(axis=1) == len(sizes) // 2).all()
    drawn = sample(world, 500)
    np.testing.assert_array_equal(drawn["z"] != 0, masks[drawn["component"]].astype(bool))
    assert world.noise_std > 0
    plain = MaskedScm().build(0).structure().arrays
    for name in ("scm/weights", "mixing/weights", "translation"):
        np.testing.assert_array_equal(arrays[name], plain[name])


def test_blocks_break_assumption_3_8b_within_blocks_only():
    together = BlockMaskedScm(n=4, blocks=[2, 1, 1], rho=0.75)
    assert holds(together) == [True, True, False]
    why = together.build(0).structure().facts["assumption_3_8b"]["why"]
    assert why == "[1] never active without 0; [0] never active without 1"
    assert holds(BlockMaskedScm(n=3, rho=0.75, blocks=[1, 1, 1])) == [True, True, True]


def test_blocks_must_hold_all_latents():
    with pytest.raises(ValidationError, match=r"blocks=\[2, 2\] have 4 latents in all, n is 10"):
        BlockMaskedScm(blocks=[2, 2])


# ---- two bases


def test_half_of_the_components_are_in_the_second_basis():
    world = TwoBases().build(0)
    arrays, drawn = world.structure().arrays, sample(world, 2000)
    assert arrays["in_second_basis"].sum() == len(world.masks) // 2
    second = world.in_second_basis[drawn["component"]] == 1
    np.testing.assert_array_equal(drawn["z"][~second], drawn["source"][~second])
    turned = drawn["source"][second] @ arrays["second_rotation"]
    np.testing.assert_allclose(drawn["z"][second], turned, atol=1e-5)
    assert np.abs(drawn["z"] - drawn["source"])[second].max() > 1


@pytest.mark.parametrize("split", ["train", "test", "unmasked", "independent"])
def test_the_source_is_that_of_one_basis(split):
    drawn, plain = (sample(kind().build(1), 300, split) for kind in (TwoBases, MaskedScm))
    np.testing.assert_array_equal(drawn["source"], plain["z"])
    assert np.array_equal(drawn["z"], drawn["source"]) is (split == "unmasked")


@pytest.mark.parametrize(
    ("settings", "one_basis"),
    [
        ({}, False),
        ({"theta": 30.0}, False),
        ({"second_theta": 0.0}, True),
        ({"theta": 45.0}, True),
        ({"n": 2, "second_theta": 90.0, "rho": "1var"}, True),
    ],
)
def test_assumption_3_6_fails_where_the_bases_differ(settings, one_basis):
    fact = TwoBases(**settings).build(0).structure().facts["assumption_3_6"]
    assert fact["holds"] is one_basis
    assert one_basis or fact["why"].startswith("the supports share a point; 24 of 48")


def subspaces(masks, basis, rng):
    """Subsets of a basis as subspaces, each given by random combinations of its vectors."""
    chosen = [basis[mask.astype(bool)] for mask in masks]
    return [rng.normal(size=(len(rows), len(rows))) @ rows for rows in chosen]


@pytest.mark.parametrize("seed", range(5))
def test_a_hidden_basis_is_found(seed):
    rng = np.random.default_rng(seed)
    basis = rng.normal(size=(6, 6))
    directions = subspaces(draw_masks(6, 0.5, rng), basis, rng)
    found = common_basis(directions, rng)
    assert spanned_by_subsets(directions, found, tolerance=1e-6).all()


def test_latents_that_are_never_apart_share_a_plane():
    """Such a plane may give a complex pair of eigenvectors."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        directions = subspaces(np.array([[1, 1, 1, 0], [0, 0, 0, 1]]), rng.normal(size=(4, 4)), rng)
        assert common_basis(directions, rng) is not None


def test_bases_that_differ_have_no_common_one_unless_few_lines_are_used():
    rng = np.random.default_rng(0)
    # Example E.3 of the paper.
    lines = [np.array([row], dtype=float) for row in ([1, 0], [0, 1], [1, 1])]
    axes = [np.eye(4)[[i]] for i in range(4)]
    turned = np.linalg.qr(rng.normal(size=(4, 4)))[0][[0]]
    for without, with_one in ((lines, lines[:2]), ([*axes, turned], [*axes[:3], turned])):
        assert common_basis(without, rng) is None
        assert common_basis(with_one, rng) is not None


# ---- equal distances


@pytest.mark.parametrize("n", [2, 5, 10])
def test_every_component_is_a_line_through_the_origin(n):
    drawn = sample(NonGeneric(n=n, distance=2.0).build(0), 3000 * n)
    np.testing.assert_array_equal(drawn["z"] != 0, np.eye(n, dtype=bool)[drawn["component"]])
    for latent in range(n):
        values = drawn["z"][drawn["component"] == latent, latent]
        assert abs(values.mean() / values.std()) == pytest.approx(2, abs=0.1)
    for spread in (0.0, 0.5):
        settings = NonGeneric(n=n, spread=spread)
        assert settings.build(0).structure().facts["assumption_3_4"]["holds"] is (spread > 0)
        assert holds(settings) == [True, True, True]


def line(mean, direction):
    direction = np.array(direction, dtype=float)
    return np.array(mean, dtype=float), np.outer(direction, direction)


def plane(mean, variances):
    return np.array(mean, dtype=float), np.diag(variances).astype(float)


@pytest.mark.parametrize(
    ("pair", "alike", "meeting"),
    [
        ([line([1, 0], [1, 0]), line([0, 1], [0, 1])], True, 1),
        ([line([-1, 0], [1, 0]), line([0, 1], [0, 1])], True, 1),
        ([line([2, 0], [1, 0]), line([0, 1], [0, 1])], False, 1),
        ([line([2, 0], [2, 0]), line([0, 1], [0, 1])], True, 1),
        ([line([0, 0], [1, 0]), line([0, 1], [1, 0])], False, 0),  # parallel
        ([line([0, 0], [1, 0]), plane([0, 0], [1, 1])], False, 0),  # of unequal rank
        # Planes are compared along their whole intersection.
        ([plane([0, 0, 0], [1, 1, 0]), plane([0, 0, 0], [0, 1, 1])], True, 1),
        ([plane([0, 0, 0], [1, 1, 0]), plane([0, 0.5, 0], [0, 1, 1])], False, 1),
        ([plane([0, 0, 0], [1, 1, 0]), plane([0, 0, 0], [0, 2, 1])], False, 1),
    ],
)
def test_components_are_alike_at_equal_distances_wherever_they_meet(pair, alike, meeting):
    assert indistinguishable_pairs(pair) == ([(0, 1)] if alike else [], meeting)


# ---- mixtures of full rank


def test_components_differ_in_mean_and_covariance_and_have_full_rank():
    world = Gmm(n=4, narrow=0.3).build(0)
    arrays, drawn = world.structure().arrays, sample(world, 100_000)
    scales = arrays["component_scales"]
    for number, (mean, scale) in enumerate(zip(arrays["component_means"], scales, strict=True)):
        z = drawn["z"][drawn["component"] == number]
        expected = world.scm.covariance * np.outer(scale, scale)
        deviations = np.sqrt(np.diag(expected))
        assert np.abs((z.mean(axis=0) - mean) / deviations).max() < 0.1
        assert np.abs((np.cov(z.T) - expected) / np.outer(deviations, deviations)).max() < 0.1
        assert np.linalg.matrix_rank(np.cov(z.T)) == 4
    assert len({tuple(scale) for scale in scales}) > 1


@pytest.mark.parametrize(("rho", "wide"), [("1var", 1), (0.5, 5), (0.75, 7)])
def test_rho_is_how_many_latents_keep_their_width(rho, wide):
    scales = Gmm(rho=rho).build(0).structure().arrays["component_scales"]
    assert ((scales == 1).sum(axis=1) == wide).all()
    assert (scales[scales != 1] == 0.5).all()


def test_nothing_is_masked_and_the_facts_say_so():
    structure = Gmm().build(0).structure()
    assert structure.arrays["masks"].all()
    assert "translation" not in structure.arrays
    assert holds(Gmm()) == [True, True, False]
    assert structure.facts["assumption_3_8b"]["why"] == "no latent is ever masked"


def test_a_vanishing_width_is_a_masked_scm():
    narrow = sample(Gmm(narrow=1e-9, separation=0.0).build(2), 100)
    np.testing.assert_allclose(narrow["z"], sample(MaskedScm().build(2), 100)["z"], atol=1e-6)
