import re

import numpy as np
import pytest

from pdgmm.data import masks as mask_rules
from pdgmm.data.masks import (
    active_count,
    common_point,
    contain_origin,
    draw_masks,
    inseparable_latents,
    spanned_by_subsets,
)
from pdgmm.errors import UserError


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize(
    ("n", "rho", "active"),
    [
        (3, 0.75, 2),
        (5, 0.5, 2),
        (40, "1var", 1),
        (100, 0.29, 29),
    ],
)
def test_draws_are_different_masks_of_the_wanted_size_that_meet_the_assumption(n, rho, active):
    assert active_count(n, rho) == active
    for seed in range(20):
        masks = draw_masks(n, rho, rng(seed))
        assert masks.dtype == np.uint8
        assert (masks.sum(axis=1) == active).all()
        assert len(np.unique(masks, axis=0)) == len(masks) <= 5 * n
        assert not inseparable_latents(masks)


def test_every_mask_is_equally_likely():
    # n = 4 with two active: six masks, each missed by 20 draws with probability (5/6)^20 = 2.6 %.
    draws = 2000
    generator = rng()
    kept = np.zeros((2, 2, 2, 2))
    for _ in range(draws):
        np.add.at(kept, tuple(draw_masks(4, 0.5, generator).T), 1)
    frequencies = kept[kept > 0] / draws
    assert len(frequencies) == 6
    assert np.abs(frequencies - frequencies.mean()).max() < 4 * np.sqrt(0.974 * 0.026 / draws)


@pytest.mark.parametrize(("n", "rho", "active"), [(2, 0.75, 1), (2, 0.25, 0), (3, 0.3, 0), (10, 0.15, 1)])
def test_impossible_masks_are_refused_with_a_remedy_that_works(n, rho, active):
    with pytest.raises(UserError) as caught:
        draw_masks(n, rho, rng())
    message = str(caught.value)
    assert f"n={n} with rho={rho} leaves {active} of {n} latents active" in message
    smallest_n = re.search(r'rho="1var" for a single active latent, or n >= (\d+)$', message).group(1)
    assert active_count(int(smallest_n), rho) == 2
    assert active_count(n, "1var") == 1


@pytest.mark.parametrize(("n", "rho"), [(1, "1var"), (5, 1.0)])
def test_masks_that_mask_nothing_are_refused(n, rho):
    with pytest.raises(UserError, match=r"no latent is ever masked.*n >= 2 and a rho below 1"):
        active_count(n, rho)


def test_redraws_end(monkeypatch):
    monkeypatch.setattr(mask_rules, "MASKS_PER_LATENT", 1)
    monkeypatch.setattr(mask_rules, "MOST_REDRAWS", 3)
    # Thirty draws that are thirty different one-hot vectors: 30!/30^30, about 1e-12.
    with pytest.raises(UserError, match="n=30 with rho=1var: 3 draws of 30 masks with 1 active"):
        draw_masks(30, "1var", rng())


@pytest.mark.parametrize(
    ("masks", "where"),
    [
        (np.eye(3), {}),
        (1 - np.eye(3), {}),
        (np.vstack([np.eye(3), np.ones((1, 3))]), {}),
        ([[1, 1, 0], [0, 0, 1]], {0: [1], 1: [0]}),  # 0 and 1 always together
        ([[1, 1, 0], [1, 0, 0], [0, 0, 1], [1, 0, 1]], {0: [1]}),  # 1 only with 0
        ([[1, 0, 0], [0, 1, 0]], {0: [2], 1: [2]}),  # 2 never active
        ([[1, 1, 1]], {0: [1, 2], 1: [0, 2], 2: [0, 1]}),
    ],
)
def test_variability_fails_where_latents_are_never_apart(masks, where):
    assert inseparable_latents(np.array(masks)) == where


PLANE_AXES = [np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])]
DIAGONAL = np.array([[1.0, 1.0]])


@pytest.mark.parametrize(
    ("points", "directions", "meet"),
    [
        ([[5, 2], [3, -7]], PLANE_AXES, True),  # they cross at (3, 2)
        ([[0, 0], [0, 1]], [PLANE_AXES[0], PLANE_AXES[0]], False),  # parallel
        ([[0, 0], [0, 0], [0, 1]], [*PLANE_AXES, DIAGONAL], False),  # in pairs only
        ([[0, 0], [0, 0], [0, 0]], [*PLANE_AXES, DIAGONAL], True),
    ],
)
def test_where_supports_share_a_point(points, directions, meet):
    assert common_point(np.array(points, dtype=float), directions) == meet


def test_a_basis_spans_its_own_subsets_and_no_others():
    supports = [*PLANE_AXES, 3 * DIAGONAL, np.eye(2)]
    assert spanned_by_subsets(supports, np.eye(2)).tolist() == [True, True, False, True]
    skew = np.array([[1.0, 0.0], [1.0, 1.0]])
    assert spanned_by_subsets(supports, skew).tolist() == [True, False, True, True]


def test_origin_lies_in_vector_spaces_only():
    points = np.array([[5.0, 0.0], [0.1, 0.0]])
    assert contain_origin(points, PLANE_AXES).tolist() == [True, False]
