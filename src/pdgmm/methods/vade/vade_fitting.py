"""From settings and observations to a trained VaDE."""

import numpy as np
import torch

from pdgmm.errors import UserError
from pdgmm.fitting.devices import resolve_device
from pdgmm.fitting.run import Fitted, Run
from pdgmm.fitting.samples import Samples
from pdgmm.fitting.torch_random import torch_stream
from pdgmm.fitting.training_loop import train
from pdgmm.methods.vade.vade import Vade
from pdgmm.methods.vae.mixture_start import em_step, fitted_mixture, mixture_claims
from pdgmm.methods.vae.vae_network import VaeNetwork
from pdgmm.methods.vae.vae_training import VaeLearner, standardise_inputs
from pdgmm.models.network_model import NetworkModel, in_batches
from pdgmm.seeds import child_seed


def fit_vade(settings: Vade, data: Samples, run: Run) -> Fitted:
    """Train the VaDE that ``settings`` describe on ``data``; the code is the posterior mean."""
    device = torch.device(resolve_device(run.device))
    run.notes["components"] = components = settings.components_for(data.n_latents)
    samples = min(data.n_samples, settings.mixture_samples)
    if settings.pretraining_steps and samples < components:
        raise UserError(
            f"VaDE cannot start a mixture of {components} components from {samples} samples: "
            "set `components` lower, or `mixture_samples` higher where there are more"
        )
    squashed = settings.decoder_output == "sigmoid"
    with torch_stream(run.seed, "weights", device=device):
        fitted = NetworkModel(
            VaeNetwork,
            x_dim=data.x_dim,
            latents=data.n_latents,
            encoder=settings.hidden_units,
            decoder=settings.hidden_units[::-1] if settings.decoder_units is None else settings.decoder_units,
            slope=settings.slope,
            prior={"kind": "mixture", "components": components},
            likelihood={"kind": "gaussian", "variance": settings.noise_variance, "squashed": squashed},
        )
    network = fitted.network
    if settings.standardise:
        standardise_inputs(network, data)
    network.to(device).train()

    def start() -> None:
        x, seed = data.array(settings.mixture_samples), child_seed(run.seed, "mixture")
        start_mixture(
            network,
            x,
            noise_variance=settings.noise_variance,
            seed=seed,
            starts=settings.mixture_starts,
        )

    def update() -> None:
        x = torch.from_numpy(data.array(settings.mixture_samples)).to(device)
        with torch.no_grad():
            posterior = network.posterior(network.standardised(x))
        em_step(network.prior, posterior.mean, posterior.log_variance.exp())

    # Frozen here, before the learner collects the parameters to train.
    network.prior.requires_grad_(settings.mixture_update == "gradient")
    learner = VaeLearner(
        network,
        learning_rate=settings.learning_rate,
        gradient_clip=settings.gradient_clip,
        pretraining_steps=settings.pretraining_steps,
        between=start,
        every=settings.em_every if settings.mixture_update == "em" else 0,
        update=update,
    )
    steps = settings.pretraining_steps + settings.steps
    train(learner, data, steps=steps, batch_size=settings.batch_size, run=run, schedule=settings.schedule)
    network.cpu()
    network.prior.requires_grad_(True)
    return Fitted(fitted, mixture_claims(network.prior))


@torch.no_grad()
def start_mixture(
    network: VaeNetwork, x: np.ndarray, *, noise_variance: float, seed: int, starts: int = 1
) -> None:
    """Fit a mixture with diagonal covariances to the codes of raw samples ``x``; start prior and posterior there.

    If a standardised sample has noise of variance ``noise_variance``, its code has noise of about that share of the
    codes' own variance: this is the variance with which ``q(z | x)`` starts. The components of the prior are wider
    than those of the codes (the means of ``q(z | x)``) by the same amount. The result only depends on the
    arguments.
    """
    prior, device = network.prior, network.input_mean.device
    codes = in_batches(network.encode, x, device)
    mixture = fitted_mixture(codes, len(prior.logits), seed, starts)
    variances = noise_variance * torch.from_numpy(codes).double().var(dim=0, correction=0)
    # A constant code would have a log variance of minus infinity.
    variances = variances.clamp(min=torch.finfo(torch.float32).eps)
    prior.logits.copy_(torch.from_numpy(np.log(mixture.weights_)))
    prior.means.copy_(torch.from_numpy(mixture.means_))
    prior.log_variances.copy_((torch.from_numpy(mixture.covariances_) + variances).log())
    network.start_posterior(variances.to(device, torch.float32))
