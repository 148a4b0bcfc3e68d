"""From settings and observations to a trained VaDE."""

import torch

from pdgmm.errors import UserError
from pdgmm.fitting.devices import resolve_device
from pdgmm.fitting.run import Fitted, Run
from pdgmm.fitting.samples import Samples
from pdgmm.fitting.torch_random import torch_stream
from pdgmm.fitting.training_loop import train
from pdgmm.methods.vade.initialise import start_mixture
from pdgmm.methods.vade.vade import Vade
from pdgmm.methods.vade.vade_learner import VadeLearner
from pdgmm.methods.vade.vade_model import VadeModel
from pdgmm.models.network_model import NetworkModel
from pdgmm.seeds import child_seed

STANDARDISATION_ROWS = 100_000


def fit_vade(settings: Vade, data: Samples, run: Run) -> Fitted:
    """Train the VaDE that ``settings`` describe on ``data``; the code is the posterior mean."""
    device = torch.device(resolve_device(run.device))
    components = settings.components_for(data.n_latents)
    _check_samples(settings, components, data)
    with torch_stream(run.seed, "weights", device=device):
        fitted = NetworkModel(
            VadeModel,
            x_dim=data.x_dim,
            hidden=settings.hidden_units,
            latents=data.n_latents,
            components=components,
            slope=settings.slope,
            output=settings.decoder_output,
        )
    model = fitted.network
    if settings.standardise:
        _standardise(model, data)
    model.to(device).train()
    learner = VadeLearner(
        model,
        pretraining_steps=settings.pretraining_steps,
        noise_variance=settings.noise_variance,
        learning_rate=settings.learning_rate,
        gradient_clip=settings.gradient_clip,
        start_mixture=lambda: start_mixture(
            model,
            data.array(settings.mixture_samples),
            noise_variance=settings.noise_variance,
            seed=child_seed(run.seed, "mixture"),
        ),
    )
    run.notes["components"] = components
    run.notes["last_step"] = train(
        learner,
        data,
        steps=settings.pretraining_steps + settings.steps,
        batch_size=settings.batch_size,
        run=run,
        schedule=settings.schedule,
    )
    model.cpu()
    return Fitted(fitted)


def _check_samples(settings: Vade, components: int, data: Samples) -> None:
    samples = min(data.n_samples, settings.mixture_samples)
    if settings.pretraining_steps and samples < components:
        raise UserError(
            f"VaDE cannot start a mixture of {components} components from {samples} samples: "
            "set `components` lower, or `mixture_samples` higher where there are more"
        )


def _standardise(model: VadeModel, data: Samples) -> None:
    x = torch.from_numpy(data.array(STANDARDISATION_ROWS)).double()
    deviation = x.std(dim=0, correction=0)
    model.input_mean.copy_(x.mean(dim=0))
    # A coordinate that is constant holds nothing to scale by.
    model.input_deviation.copy_(torch.where(deviation > 0, deviation, 1.0))
