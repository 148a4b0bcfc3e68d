import numpy as np
import pytest

from pdgmm.errors import UserError
from pdgmm.evaluation.r2 import match_blocks, r2

RNG = np.random.default_rng(0)
Z = RNG.normal(size=(2000, 6))
BLOCKS = np.array([0, 0, 1, 2, 2, 2])


def mixed_within_blocks(z):
    """Each block through a random matrix, then all in another order."""
    parts = [z[:, block == BLOCKS] for block in range(3)]
    code = np.column_stack([part @ RNG.normal(size=(part.shape[1],) * 2) for part in parts])
    order = RNG.permutation(6)
    return code[:, order], order


def test_maps_within_blocks_do_not_matter():
    code, order = mixed_within_blocks(Z)
    match = match_blocks(Z, code, BLOCKS)
    assert match.assigned.min() == pytest.approx(1)
    assert match.assigned.mean() == pytest.approx(1)
    assert match.sizes.tolist() == [2, 1, 3]
    # The learned latents of each block are those that were made of it.
    np.testing.assert_array_equal(BLOCKS[order[match.assignment]], BLOCKS)
    other = np.ones_like(match.r2, dtype=bool)
    other[BLOCKS, match.assignment] = False
    assert np.abs(match.r2[other]).max() < 0.03
    assert match.largest_elsewhere == match.r2[other].max()


def test_a_latent_from_two_blocks_shows():
    code, _ = mixed_within_blocks(Z)
    code[:, 0] = Z[:, 0] + Z[:, 2]
    match = match_blocks(Z, code, BLOCKS)
    assert match.assigned.min() < 0.6
    assert match.assigned.min() < match.assigned.mean() < 1
    assert 0.3 < match.largest_elsewhere < 0.7, "half of the latent is of another block"


def test_one_block_is_the_r2_of_all_latents():
    code = Z @ RNG.normal(size=(6, 6)) + RNG.normal(size=Z.shape)
    match = match_blocks(Z, code, np.zeros(6, int))
    assert match.assigned.mean() == pytest.approx(r2(Z, code))
    assert match.largest_elsewhere == 0


@pytest.mark.parametrize("learned", [4, 9])
def test_fewer_or_more_learned_latents(learned):
    code = np.column_stack([Z, RNG.normal(size=(2000, 3))])[:, :learned]
    match = match_blocks(Z, code, BLOCKS)
    assert match.r2.shape == (3, learned)
    assert (match.assignment == -1).sum() == max(0, 6 - learned)
    assert match.assigned.mean() == pytest.approx(min(6, learned) / 6)
    assert match.assigned.min() == pytest.approx(0 if learned < 6 else 1)


@pytest.mark.parametrize("blocks", [[0, 0, 1], [0, 0, 1, 2, 2, 4]])
def test_blocks_that_do_not_fit_are_refused(blocks):
    with pytest.raises(UserError, match="one block a latent"):
        match_blocks(Z, Z, np.array(blocks))
