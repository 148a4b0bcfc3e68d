"""The torch side of the autoencoder stage."""

import torch
from torch.nn.functional import mse_loss

from pdgmm.fitting.batch_norm import settle_batch_norm
from pdgmm.fitting.devices import resolve_device
from pdgmm.fitting.learners import AdamLearner, Metrics
from pdgmm.fitting.samples import Observations
from pdgmm.fitting.torch_random import torch_stream
from pdgmm.fitting.training_loop import train
from pdgmm.methods.autoencoder import Autoencoder
from pdgmm.methods.base import Run
from pdgmm.models.network_model import NetworkEncoder


def fit_autoencoder(settings: Autoencoder, data: Observations, run: Run) -> NetworkEncoder:
    """Train the networks that ``settings`` describe on ``data``."""
    device = torch.device(resolve_device(run.device))
    hidden = [width * data.n_latents for width in settings.widths]
    sizes = [data.x_dim, *hidden, settings.learned_latents(data.n_latents)]
    with torch_stream(run.seed, "weights", device=device):
        fitted = NetworkEncoder(sizes, settings.slope)
    model = fitted.module.to(device).train()
    encode, decode = model["encoder"], model["decoder"]

    def objective(x: torch.Tensor) -> Metrics:
        code = encode(x)
        reconstruction = mse_loss(decode(code), x)
        half_norm = code.square().sum(dim=1).mean() / 2
        loss = reconstruction + settings.norm_weight * half_norm
        return {"loss": loss, "reconstruction": reconstruction, "half_norm": half_norm}

    learner = AdamLearner(
        model, objective, learning_rate=settings.learning_rate, gradient_clip=settings.gradient_clip
    )
    run.notes["last_step"] = train(
        learner,
        data,
        steps=settings.steps,
        batch_size=settings.batch_size,
        run=run,
        schedule=settings.schedule,
        warmup_steps=settings.warmup_steps,
    )
    settle_batch_norm(encode[-1], encode, data, batch_size=settings.batch_size, seed=run.seed)
    fitted.module.cpu()
    return fitted
