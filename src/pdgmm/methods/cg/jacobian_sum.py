"""The L1 norm of a decoder's Jacobian, as the papers' sparsity of the mixing."""

import torch


def jacobian_sum(jacobian: torch.Tensor, z: torch.Tensor, *, scaled: bool) -> torch.Tensor:
    """``mean sum_ik |J_ik|``, or with ``scaled`` ``mean sum_ik |J_ik| sd(z_k)``; J is (samples, x_dim, latents).

    The scaled one does not change if a latent is multiplied by a number and the decoder divides by it.
    """
    columns = jacobian.abs().sum(dim=1).mean(dim=0)
    return columns @ z.std(dim=0) if scaled else columns.sum()
