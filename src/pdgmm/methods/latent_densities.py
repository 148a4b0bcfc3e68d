"""Densities of fitted latents as plain arrays, which an estimator can keep and save to a file."""

import numpy as np

from pdgmm.methods.spike_slab.spike_slab import SUPPORT_SAMPLES

Values = dict[str, np.ndarray]
"""The parameters of a density by name."""


ENOUGH = 20_000
"""Samples from which the density of the latents is fitted: probabilities are then known to half a percent."""

EM_STEPS = 30


def fitted_spikes(latents: np.ndarray) -> Values:
    """A spike and a slab for each of ``latents`` (samples, n), by EM; every value is (n,).

    The samples should be in random order: the first ones are used.
    """
    import torch

    from pdgmm.methods.spike_slab import spike_slab_prior as priors

    y = torch.from_numpy(latents[:ENOUGH].T.copy())
    one = torch.ones(len(y), 1, dtype=y.dtype)
    start = priors.SpikeSlabPrior(weight=0.5 * one, centre=0 * one, width=0.15 * one, mean=0 * one, scale=one)
    bounds = priors.WidthBounds(torch.tensor(0.01), torch.tensor(0.3))
    prior = priors.fit_prior(y, start, bounds, EM_STEPS)
    # If a latent rests exactly, the bound on the spike's width also pulls the slab's scale down. Users want to read
    # the spread of the active samples, so the last step has no bounds, and only the width is moved into them
    # afterwards.
    free = priors.WidthBounds(torch.tensor(0.0), torch.tensor(torch.inf))
    prior = priors.m_step(priors.evaluate(prior, y).moments, free).within(bounds)
    return {name: value.flatten().numpy() for name, value in vars(prior).items()}


def spikes_log_density(prior: Values, latents: np.ndarray) -> np.ndarray:
    """Log-densities (samples,) of ``latents``, taken as independent, under the result of :func:`fitted_spikes`."""
    import torch

    from pdgmm.methods.spike_slab.spike_slab_prior import SpikeSlabPrior, log_density

    parameters = {name: torch.from_numpy(value)[:, None] for name, value in prior.items()}
    return log_density(SpikeSlabPrior(**parameters), torch.from_numpy(latents.T.copy())).sum(0).numpy()


def found_patterns(prior: Values, latents: np.ndarray) -> Values:
    """The components in ``latents`` (samples, n) found by :func:`pdgmm.methods.spike_slab.patterns.find_supports`.

    The result also says where the latents rest and with which width, since the density needs both.
    """
    import torch

    from pdgmm.methods.spike_slab.patterns import find_supports
    from pdgmm.methods.spike_slab.spike_slab_prior import SpikeSlabPrior, log_odds

    code = torch.from_numpy(latents[:SUPPORT_SAMPLES])
    spikes = SpikeSlabPrior(**{name: torch.from_numpy(value)[:, None] for name, value in prior.items()})
    resting = log_odds(spikes, code.T).sigmoid().T
    found = find_supports(code - torch.from_numpy(prior["centre"]), resting)
    values = {name: value.numpy() for name, value in found._asdict().items()}
    return values | {"centre": prior["centre"], "width": prior["width"]}


def pattern_log_density(patterns: Values, latents: np.ndarray) -> np.ndarray:
    """Log-densities (samples,) of ``latents`` under the result of :func:`found_patterns`."""
    import torch

    from pdgmm.methods.spike_slab.patterns import pattern_log_densities

    values = {name: torch.from_numpy(value) for name, value in patterns.items()}
    weights, centre = values.pop("weights"), values.pop("centre")
    densities = pattern_log_densities(torch.from_numpy(latents) - centre, **values)
    return torch.logsumexp(weights.log() + densities, dim=1).numpy()


def mixture_log_density(mixture: Values, latents: np.ndarray) -> np.ndarray:
    """Log-densities (samples,) of ``latents`` under a Gaussian mixture: weights, means and covariances."""
    import torch

    from pdgmm.fitting.gaussian_mixtures import Mixture

    values = {name: torch.from_numpy(np.asarray(value, dtype=float)) for name, value in mixture.items()}
    return Mixture(**values).log_density(torch.from_numpy(latents)).numpy()
