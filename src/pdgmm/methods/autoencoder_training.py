"""The torch side of the autoencoder."""

import torch
from torch.nn.functional import mse_loss

from pdgmm.fitting.devices import resolve_device
from pdgmm.fitting.learners import AdamLearner, Batch, Metrics
from pdgmm.fitting.networks import leaky_mlp
from pdgmm.fitting.run import Fitted, Run
from pdgmm.fitting.samples import Samples
from pdgmm.fitting.torch_random import torch_stream
from pdgmm.methods.autoencoder import Autoencoder
from pdgmm.models.network_model import CodingNetwork, NetworkModel


class LeakyAutoencoder(CodingNetwork):
    """A leaky-ReLU network with batch normalisation on its output, and a decoder with the same ``sizes`` in reverse.

    ``sizes`` are the encoder's layer sizes, input first.
    """

    def __init__(self, sizes: list[int], slope: float) -> None:
        super().__init__()
        self.encoder = leaky_mlp(sizes, slope, batch_norm=True)
        self.decoder = leaky_mlp(sizes[::-1], slope)

    def encode(self, x: torch.Tensor) -> torch.Tensor:
        return self.encoder(x)

    def decode(self, code: torch.Tensor) -> torch.Tensor:
        return self.decoder(code)


def fit_autoencoder(settings: Autoencoder, data: Samples, run: Run) -> Fitted:
    """Train the networks that ``settings`` describe on ``data``."""
    device = torch.device(resolve_device(run.device))
    hidden = [width * data.n_latents for width in settings.widths]
    sizes = [data.x_dim, *hidden, settings.learned_latents(data.n_latents)]
    with torch_stream(run.seed, "weights", device=device):
        fitted = NetworkModel(LeakyAutoencoder, sizes=sizes, slope=settings.slope)
    network = fitted.network.to(device).train()
    products = torch.autocast(device.type, torch.bfloat16, enabled=settings.precision == "bfloat16")

    def objective(batch: Batch) -> Metrics:
        with products:
            code = network.encode(batch["x"]).float()
            decoded = network.decode(code).float()
        reconstruction = mse_loss(decoded, batch["x"])
        half_norm = code.square().sum(dim=1).mean() / 2
        loss = reconstruction + settings.norm_weight * half_norm
        return {"loss": loss, "reconstruction": reconstruction, "half_norm": half_norm}

    learner = AdamLearner(
        network, objective, learning_rate=settings.learning_rate, gradient_clip=settings.gradient_clip
    )
    settings.train(learner, network.encoder[-1], network.encode, data, run)
    network.cpu()
    return Fitted(fitted)
