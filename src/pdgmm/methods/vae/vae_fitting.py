"""From settings and observations to a trained variational autoencoder, with any prior."""

from collections.abc import Callable
from typing import Any

import torch

from pdgmm.errors import UserError
from pdgmm.fitting.devices import resolve_device
from pdgmm.fitting.learners import Metrics
from pdgmm.fitting.run import Run
from pdgmm.fitting.samples import Samples
from pdgmm.fitting.torch_random import torch_stream
from pdgmm.fitting.training_loop import train
from pdgmm.methods.vae.bound import negative_elbo
from pdgmm.methods.vae.vae_network import VaeNetwork
from pdgmm.methods.vae.vae_settings import VaeMethod
from pdgmm.methods.vae.vae_training import Objective, VaeLearner, standardise_inputs
from pdgmm.models.network_model import NetworkModel


def fit_vae(
    settings: VaeMethod,
    data: Samples,
    run: Run,
    *,
    prior: dict[str, Any],
    start: Callable[[VaeNetwork], None] = lambda network: None,
    objective: Objective = negative_elbo,
    learner: Callable[..., VaeLearner] = VaeLearner,
    pretraining_steps: int = 0,
    **network: Any,
) -> NetworkModel:
    """Train the network that ``settings``, ``prior`` and further arguments of :class:`VaeNetwork` describe.

    ``start(network)`` is called before the first step. ``objective`` is minimised; ``learner`` builds what takes the
    steps, of which there are ``pretraining_steps`` more than ``settings.steps``.
    """
    device = torch.device(resolve_device(run.device))
    gaussian = settings.likelihood == "gaussian"
    if not gaussian:
        check_between_0_and_1(data, settings.likelihood)
    with torch_stream(run.seed, "weights", device=device):
        fitted = NetworkModel(
            VaeNetwork,
            x_dim=data.x_dim,
            latents=data.n_latents,
            encoder=settings.encoder_units,
            decoder=settings.decoder_units,
            slope=settings.slope,
            prior=prior,
            likelihood={"kind": "gaussian", "variance": settings.noise_variance}
            if gaussian
            else {"kind": "bernoulli"},
            **network,
        )
    if settings.standardise and gaussian:
        standardise_inputs(fitted.network, data)
    trained = fitted.network.to(device).train()
    start(trained)
    trainer = learner(
        trained,
        learning_rate=settings.learning_rate,
        gradient_clip=settings.gradient_clip,
        objective=binarised_elbo if settings.likelihood == "binarised" else objective,
    )
    train(
        trainer,
        data,
        steps=pretraining_steps + settings.steps,
        batch_size=settings.batch_size,
        run=run,
        schedule=settings.schedule,
    )
    trained.cpu()
    return fitted


def binarised_elbo(network: VaeNetwork, x: torch.Tensor, u: torch.Tensor | None = None) -> Metrics:
    """The bound of images whose pixels are drawn as 0 or 1; the grey values ``x`` are the probabilities of 1."""
    return negative_elbo(network, torch.bernoulli(x), u)


def check_between_0_and_1(data: Samples, likelihood: str) -> None:
    """Raise a :class:`UserError` if the observations are not between 0 and 1."""
    x = data.array(1000)
    if x.min() < 0 or x.max() > 1:
        raise UserError(
            f"`likelihood: {likelihood}` is for values from 0 to 1, the observations go from {x.min():.3g} to "
            f"{x.max():.3g}: use `likelihood: gaussian`"
        )
