import numpy as np
import pytest
from pydantic import ValidationError

from pdgmm.data import generator_class
from pdgmm.data.block_masks import BlockMaskedScm
from pdgmm.data.masked_scm import MaskedScm
from pdgmm.data.masks import sufficient_variability


def test_is_registered():
    assert generator_class("blocks") is BlockMaskedScm


@pytest.mark.parametrize("sizes", [[2, 2, 2, 2, 2], [1, 1, 1, 3, 4], [1, 1, 2, 6]])
def test_the_latents_of_a_block_are_active_together_and_blocks_apart(sizes):
    structure = BlockMaskedScm(blocks=sizes).build(0).structure()
    block, masks = structure.arrays["blocks"], structure.arrays["masks"]
    assert np.bincount(block).tolist() == sizes
    first = np.flatnonzero(np.diff(block, prepend=-1))
    np.testing.assert_array_equal(masks, masks[:, first][:, block])
    assert sufficient_variability(masks[:, first])
    assert (masks[:, first].sum(axis=1) == len(sizes) // 2).all()


def test_assumption_3_8b_fails_within_blocks_only():
    facts = BlockMaskedScm(n=4, blocks=[2, 1, 1]).model_copy(update={"rho": 0.75}).build(0).structure().facts
    assert [facts[f"assumption_{name}"]["holds"] for name in ("3_6", "3_8a", "3_8b")] == [True, True, False]
    assert facts["assumption_3_8b"]["why"] == "[1] never active without 0; [0] never active without 1"
    single = BlockMaskedScm(n=3, rho=0.75, blocks=[1, 1, 1]).build(0).structure().facts
    assert single["assumption_3_8b"]["holds"]


def test_all_but_the_masks_is_as_without_blocks():
    blocks, plain = (kind(delta=1.0).build(3).structure().arrays for kind in (BlockMaskedScm, MaskedScm))
    for name in ("scm/weights", "mixing/weights", "translation"):
        np.testing.assert_array_equal(blocks[name], plain[name])


def test_samples_follow_the_masks_also_with_noise():
    world = BlockMaskedScm(observation_noise=20.0).build(0)
    arrays = world.sample("train", 500, np.random.default_rng(0))
    np.testing.assert_array_equal(arrays["z"] != 0, world.masks[arrays["component"]].astype(bool))
    assert world.noise_std > 0


def test_blocks_must_hold_all_latents():
    with pytest.raises(ValidationError, match=r"blocks=\[2, 2\] have 4 latents in all, n is 10"):
        BlockMaskedScm(blocks=[2, 2])
