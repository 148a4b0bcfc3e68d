"""A user's own data: a path in, numbers out, and plain words on what was done to them."""

from pdgmm.own_data.options import ReadOptions
from pdgmm.own_data.reading import OwnData, read
from pdgmm.own_data.streaming import Block, Blocks, blocks

__all__ = ["Block", "Blocks", "OwnData", "ReadOptions", "blocks", "read"]
