"""Latents in blocks that are always active together: Assumption 3.8b holds between blocks only."""

from dataclasses import dataclass
from typing import Annotated, Self

import numpy as np
from pydantic import Field, model_validator

from pdgmm.data.masked_scm import MaskedScm, MaskedScmWorld
from pdgmm.data.masks import draw_masks


@dataclass(frozen=True, kw_only=True)
class BlockMaskedScmWorld(MaskedScmWorld):
    """``blocks`` (n,) is the block of every latent, counted from 0."""

    blocks: np.ndarray


class BlockMaskedScm(MaskedScm):
    """Like ``pdgmm``, but with latents in blocks that are active or masked together.

    The masks are drawn for blocks instead of latents: ``rho`` is the fraction of blocks that is active. The
    latents of a block cannot be told apart, the blocks can: Xu, Lachapelle and Magliacane (2026), appendix E.5.
    """

    blocks: list[Annotated[int, Field(ge=1)]] = Field(
        [2, 2, 2, 2, 2], min_length=2, description="number of latents in each block; the sum must be n"
    )

    @model_validator(mode="after")
    def _blocks_hold_all_latents(self) -> Self:
        if sum(self.blocks) != self.n:
            raise ValueError(f"blocks={self.blocks} have {sum(self.blocks)} latents in all, n is {self.n}")
        return self

    def noiseless(self, seed: int) -> BlockMaskedScmWorld:
        return BlockMaskedScmWorld(**vars(super().noiseless(seed)), blocks=self._block_of_latents())

    def draw_masks(self, rng: np.random.Generator) -> np.ndarray:
        """Masks (J, n) that activate whole blocks."""
        return draw_masks(len(self.blocks), self.rho, rng)[:, self._block_of_latents()]

    def _block_of_latents(self) -> np.ndarray:
        return np.repeat(np.arange(len(self.blocks), dtype=np.int32), self.blocks)
