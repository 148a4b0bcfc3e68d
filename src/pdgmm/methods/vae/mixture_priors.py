"""Gaussian mixtures as priors of codes: one for the whole code, or one for each of its facets."""

import torch
from torch import nn

from pdgmm.fitting.learners import Metrics
from pdgmm.methods.vae.posterior import LOG_2PI, Posterior
from pdgmm.methods.vae.priors import Prior


class MixturePrior(Prior):
    """``p(c) = pi_c`` and ``p(z | c) = N(z; mu_c, diag s_c)`` for c = 1 … K and z of dimension d.

    ``pi`` is the softmax of ``logits`` (K,); ``means`` and ``log_variances`` are (K, d). All components start with
    the same weight and mean: only the log variances, drawn from N(0, 1), differ.
    """

    def __init__(self, latents: int, components: int) -> None:
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(components))
        self.means = nn.Parameter(torch.zeros(components, latents))
        self.log_variances = nn.Parameter(torch.randn(components, latents))

    def log_weights(self) -> torch.Tensor:
        """``log pi`` (K,)."""
        return torch.log_softmax(self.logits, dim=0)

    def expected_log_density(self, mean: torch.Tensor, variance: torch.Tensor | float) -> torch.Tensor:
        """``E log N(z; mu_c, diag s_c)`` for ``z ~ N(mean, diag variance)``: (samples, K).

        It is ``-1/2 sum_d [log 2 pi + log s_cd + (variance_d + (mean_d - mu_cd)^2) / s_cd]``. With ``variance`` 0
        it is the log density at ``mean``.
        """
        # Written as matrix products, so that no array of size samples x K x d is needed.
        precision = torch.exp(-self.log_variances)
        quadratic = (
            (mean.square() + variance) @ precision.T
            - 2 * mean @ (self.means * precision).T
            + (self.means.square() * precision).sum(dim=1)
        )
        return -0.5 * (quadratic + (self.log_variances + LOG_2PI).sum(dim=1))

    def log_joint(self, z: torch.Tensor) -> torch.Tensor:
        """``log pi_c + log p(z | c)`` (samples, K)."""
        return self.log_weights() + self.expected_log_density(z, 0.0)

    def log_responsibilities(self, z: torch.Tensor) -> torch.Tensor:
        """``log gamma_c = log p(c | z)`` (samples, K) of codes ``z`` (samples, d)."""
        return torch.log_softmax(self.log_joint(z), dim=1)

    def log_density(self, z: torch.Tensor) -> torch.Tensor:
        """``log p(z)`` (samples,)."""
        return torch.logsumexp(self.log_joint(z), dim=1)

    def divergence(
        self, posterior: Posterior, z: torch.Tensor, u: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, Metrics]:
        """``KL(q(z | x) q(c | x) || p(z, c))`` with ``q(c | x) = p(c | z)`` at the draw, as in Jiang et al. (2017).

        The draw only enters through ``q(c | x)``; everything else is in closed form. The bound holds for any
        ``q(c | x)``. The metric ``components_per_sample`` is ``exp`` of the mean entropy of ``q(c | x)``: 1 if the
        components are told apart, K if they are not.
        """
        log_gamma = self.log_responsibilities(z)
        return self.joint_divergence(posterior, log_gamma), self.told_apart(log_gamma)

    def joint_divergence(self, posterior: Posterior, log_gamma: torch.Tensor) -> torch.Tensor:
        """``KL(q(z | x) q(c | x) || p(z, c))`` (samples,) for ``q(c | x) = gamma`` (samples, K).

        It is ``sum_c gamma_c [log gamma_c - log pi_c - E log p(z | c)]`` minus the entropy of ``q(z | x)``.
        """
        cross = self.expected_log_density(posterior.mean, posterior.log_variance.exp())
        mixture = (log_gamma.exp() * (log_gamma - self.log_weights() - cross)).sum(dim=1)
        return mixture - posterior.entropy()

    @staticmethod
    def told_apart(log_gamma: torch.Tensor) -> Metrics:
        """The metric ``components_per_sample``."""
        return {"components_per_sample": (-(log_gamma.exp() * log_gamma).sum(dim=1).mean()).exp()}


class FacetPrior(Prior):
    """``p(z) = prod_j p_j(z_j)``: the code is cut into ``facets`` equal parts, each with a mixture of its own.

    The prior of the multi-facet clustering VAE (Falck et al., 2021). With ``gamma_jc = p_j(c | z_j)`` at the draw its
    loss ``log q(z|x) + sum_jc gamma_jc [log gamma_jc - log pi_jc - log p_j(z_j | c)]`` is exactly
    ``log q(z|x) - sum_j log p_j(z_j)``, which is what is computed.
    """

    def __init__(self, latents: int, components: int, facets: int = 1) -> None:
        super().__init__()
        if latents % facets:
            raise ValueError(f"{latents} latents cannot be cut into {facets} equal facets")
        self.mixtures = nn.ModuleList(MixturePrior(latents // facets, components) for _ in range(facets))

    def divergence(
        self, posterior: Posterior, z: torch.Tensor, u: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, Metrics]:
        parts = z.chunk(len(self.mixtures), dim=1)
        joints = [mixture.log_joint(part) for mixture, part in zip(self.mixtures, parts, strict=True)]
        log_density = sum(torch.logsumexp(joint, dim=1) for joint in joints)
        told_apart = MixturePrior.told_apart(torch.log_softmax(joints[0], dim=1))
        return posterior.log_density(z) - log_density, told_apart
