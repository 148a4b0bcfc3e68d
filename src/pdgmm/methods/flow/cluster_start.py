"""An affine start from clusters: one map for which the covariances of all clusters are as diagonal as they can be.

If the mixing ``A`` is affine and component ``j`` masks its latents by ``M_j``, its covariance is
``S_j = A M_j C M_j A^T``: the row of the unmixing that belongs to a latent is in the null space of every ``S_j`` in
which the latent rests. Clusters show the components if resting values are far away. There the bends of the mixing are
large where the samples are, and the likelihood of spikes and slabs has wrong optima.
"""

import torch
from torch import nn
from torch.nn.functional import normalize

from pdgmm.fitting.gaussian_mixtures import Mixture, fit_mixture
from pdgmm.fitting.optimisers import Adam
from pdgmm.methods.spike_slab.affine_search import AffineSolution, random_orthogonal
from pdgmm.methods.spike_slab.dependent_prior import DependentPrior
from pdgmm.methods.spike_slab.spike_slab_prior import SpikeSlabPrior, WidthBounds, evaluate, fit_prior

CLUSTERS_PER_LATENT = 6

SAMPLES_PER_CLUSTER = 150
"""With fewer samples for each cluster, covariances are too poor, and there is no such start."""

STARTS, STEPS = 8, 300
"""Random starts of the search, all as one batch, and its steps. Mostly all of them reach the same optimum."""

LEARNING_RATE = 0.03

RESTING = 0.3, 0.01
"""Variances below this share count as those of a resting latent, at the start and at the end of the search."""

WIDTHS = WidthBounds(torch.tensor(0.05), torch.tensor(0.5))
EM_STEPS = 20


def start_from_clusters(white: torch.Tensor, seed: int, generator: torch.Generator) -> AffineSolution | None:
    """The start for ``white`` (n, samples); None if there are too few samples for the clusters."""
    n, samples = white.shape
    if samples < SAMPLES_PER_CLUSTER * CLUSTERS_PER_LATENT * n or n < 2:
        return None
    mixture = fit_mixture(white.T.contiguous(), CLUSTERS_PER_LATENT * n, seed)
    unmixing = diagonalising(mixture, generator)
    latents = unmixing @ white
    prior = fit_prior(latents, spikes_of_clusters(mixture, unmixing), WIDTHS, EM_STEPS)
    log_likelihood = float(evaluate(prior, latents).log_density.sum() + torch.linalg.slogdet(unmixing)[1])
    dependent = DependentPrior.from_independent(prior)
    return AffineSolution(unmixing, dependent, log_likelihood, ["clusters"], [log_likelihood], True, [])


def diagonalising(mixture: Mixture, generator: torch.Generator) -> torch.Tensor:
    """The matrix ``V`` (n, n) with unit rows and the least ``sum_ij w_j log((V S_j V^T)_ii + e) - 2 log |det V|``.

    ``S_j`` are the covariances of ``mixture``, ``w_j`` its weights. ``e`` falls, so that first large and then small
    variances are told apart. Adam on all starts together; the best one is returned.
    """
    n = mixture.means.shape[1]
    matrices = nn.Parameter(random_orthogonal(STARTS, n, generator).to(mixture.means))
    optimiser = Adam([matrices], LEARNING_RATE)
    first, last = RESTING
    for step in range(STEPS):
        values = _values(matrices, mixture, first * (last / first) ** min(1.0, step / (0.7 * STEPS)))
        (matrices.grad,) = torch.autograd.grad(values.sum(), [matrices])
        optimiser.scale_learning_rate(1 - step / STEPS)
        optimiser.step()
    with torch.no_grad():
        best = _values(matrices, mixture, last).argmin()
        return normalize(matrices[best], dim=-1)


def _values(matrices: torch.Tensor, mixture: Mixture, resting: float) -> torch.Tensor:
    rows = normalize(matrices, dim=-1)
    variances = torch.einsum("bij,ujk,bik->bui", rows, mixture.covariances, rows)
    sizes = (mixture.weights[:, None] * torch.log(variances + resting)).sum(dim=(1, 2))
    return sizes - 2 * torch.linalg.slogdet(rows).logabsdet


def spikes_of_clusters(mixture: Mixture, unmixing: torch.Tensor) -> SpikeSlabPrior:
    """Spikes and slabs, each parameter (n, 1), of the latents ``unmixing`` (n, n) times the samples of ``mixture``.

    For each latent, the clusters are split into those in which it rests and those in which it is active, by the
    logarithms of its variances (two means).
    """
    weights = mixture.weights[:, None]
    variances = torch.einsum("ij,ujk,ik->ui", unmixing, mixture.covariances, unmixing)
    means = mixture.means @ unmixing.T
    logs = variances.log()
    low, high = logs.amin(0), logs.amax(0)
    for _ in range(30):
        rests = (logs - low).abs() < (logs - high).abs()
        low, high = (_mean(logs, weights * part) for part in (rests, ~rests))
    parameters = [(weights * rests).sum(0).clamp(0.02, 0.98)]
    for part in (rests, ~rests):
        centre = _mean(means, weights * part)
        parameters += [centre, _mean(variances + (means - centre) ** 2, weights * part).sqrt()]
    return SpikeSlabPrior(*(parameter[:, None] for parameter in parameters))


def _mean(values: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """Weighted means (n,) over the clusters of ``values`` (clusters, n)."""
    return (values * weights).sum(0) / weights.sum(0).clamp_min(1e-6)
