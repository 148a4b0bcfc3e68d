import numpy as np
import pytest

from pdgmm.data.common_basis import common_basis
from pdgmm.data.masks import draw_masks, spanned_by_subsets


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
