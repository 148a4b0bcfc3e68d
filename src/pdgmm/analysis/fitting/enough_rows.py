"""How many rows are held out, and whether the others are enough for the latents that are asked for."""

import math

from pdgmm.analysis.diagnostics.latent_count import TRAINING_SAMPLES_PER_LATENT, most_latents
from pdgmm.errors import UserError

HELD_OUT_SHARE, MOST_HELD_OUT = 0.2, 10_000
"""Rows that no fit sees: likelihoods and agreement are measured on them."""


def held_out_rows(rows: int) -> int:
    """How many of the rows no fit sees."""
    return min(MOST_HELD_OUT, int(HELD_OUT_SHARE * rows))


def check_rows(rows: int, columns: int, asked: int | None) -> None:
    """A :class:`UserError` where a table of this size cannot answer what is asked, before anything is fitted."""
    most = most_latents(rows - held_out_rows(rows))
    if most < 1:
        raise UserError(f"{rows} rows are too few for even one latent: give at least {_rows_for(1)}")
    if asked is None:
        return
    if asked > columns:
        raise UserError(f"--n-latents {asked} is more than the data have columns: ask for at most {columns}")
    if asked > most:
        raise UserError(
            f"--n-latents {asked} is too many for {rows:,} rows: give at least {_rows_for(asked):,} rows, or ask for "
            f"at most {min(most, columns)} latents"
        )


def _rows_for(latents: int) -> int:
    """The fewest rows from which this many latents can be asked."""
    return math.ceil(latents * TRAINING_SAMPLES_PER_LATENT / (1 - HELD_OUT_SHARE))
