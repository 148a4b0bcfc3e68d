"""Blocks of latents that are always active together: either all of them are in the spike or all in the slab."""

import torch

TOGETHER = 0.4
"""Two latents belong to one block if their probabilities to rest have at least this correlation.

In the affine solution of bent data, latents of one block are above it, and latents that rest on their own below it.
"""


def blocks_of(resting: torch.Tensor) -> torch.Tensor:
    """Which latents rest together, given each latent's probabilities to rest (n, samples).

    Returns ``membership`` (n, n): the row of a block's first latent has a 1 for each latent of the block, all other
    rows are 0. Without blocks it is the identity.
    """
    n = len(resting)
    # A probability that never changes has no correlation with others.
    tied = torch.corrcoef(resting).nan_to_num(0.0) > TOGETHER if n > 1 else resting.new_ones(1, 1) > 0
    tied.fill_diagonal_(True)
    reached = tied.to(resting)
    for _ in range(n.bit_length()):
        reached = (reached @ reached > 0).to(resting)
    first = reached.argmax(dim=1)
    membership = torch.zeros_like(reached)
    membership[first, torch.arange(n)] = 1.0
    return membership


def log_density_in_blocks(
    spike: torch.Tensor, slab: torch.Tensor, log_odds: torch.Tensor, membership: torch.Tensor
) -> torch.Tensor:
    """``sum_b log(w_b prod_i spike_i + (1 - w_b) prod_i slab_i)`` (samples,) over blocks and their latents i.

    ``spike`` and ``slab`` (samples, n) are log-densities of every latent while it rests and while it is active; the
    log-odds of a block to rest are the mean of the ``log_odds`` (n,) of its latents. ``membership`` is that of
    :func:`blocks_of`.
    """
    sizes = membership.sum(1)
    odds = (membership @ log_odds / sizes.clamp_min(1.0))[sizes > 0]
    members = membership[sizes > 0].T
    resting = torch.nn.functional.logsigmoid(odds) + spike @ members
    active = torch.nn.functional.logsigmoid(-odds) + slab @ members
    return torch.logaddexp(resting, active).sum(dim=1)
