"""How Gaussian a flow makes clusters that it was not trained on."""

import torch

from pdgmm.fitting.gaussian_mixtures import gaussian_log_densities
from pdgmm.models.coupling_flow import CouplingFlow

FEWEST_SAMPLES_PER_LATENT = 20
"""A cluster with fewer samples per latent says too little about a flow."""

LEAST_VARIANCE = 1e-4
"""Added to the variance of every direction of a cluster, in units of the whitened observations."""


class UnseenClusters:
    """Mean log-likelihood per sample of clusters, each under its own Gaussian in the flow's code.

    The Gaussian is fitted to the first half of a cluster's samples, and the second half is scored. A flow that
    learned the mixing straightens these clusters too. A flow that only rotated the clusters it saw does not.
    """

    def __init__(self, samples: torch.Tensor, cluster: torch.Tensor, latents: int) -> None:
        """The clusters of ``samples`` (count, dim), given the number of each sample's ``cluster`` (count,)."""
        fewest = FEWEST_SAMPLES_PER_LATENT * latents
        members = [samples[cluster == one] for one in cluster.unique()]
        self._halves = [torch.tensor_split(rows, 2) for rows in members if len(rows) >= fewest]
        self._latents = latents

    def __len__(self) -> int:
        """The number of clusters that are large enough."""
        return len(self._halves)

    @torch.no_grad()
    def __call__(self, flow: CouplingFlow, prior: torch.nn.Module) -> float:
        total, count = 0.0, 0
        for first, second in self._halves:
            fitted = flow(first)[0]
            y, log_det = flow(second)
            variance = LEAST_VARIANCE * torch.eye(y.shape[1], device=y.device)
            covariance = torch.cov(fitted.T) + variance
            density = gaussian_log_densities(y, fitted.mean(0)[None], covariance[None])[:, 0]
            total += float((density + log_det).sum())
            count += len(second)
        return total / count
