"""The torch side of image features."""

import torch

from pdgmm.fitting.devices import resolve_device
from pdgmm.fitting.run import Fitted, Run
from pdgmm.fitting.samples import Samples
from pdgmm.fitting.torch_random import torch_stream
from pdgmm.fitting.training_loop import train
from pdgmm.methods.image_features.image_features import ImageFeatures
from pdgmm.methods.image_features.image_networks import NETWORKS, WHITE
from pdgmm.methods.image_features.reconstruction_learner import ReconstructionLearner
from pdgmm.models.network_model import NetworkModel


def fit_features(settings: ImageFeatures, data: Samples, run: Run) -> Fitted:
    """Train the network that ``settings`` describe on images; notes its error beside that of one fixed image."""
    device = torch.device(resolve_device(run.device))
    kind, arguments = settings.architecture(data.n_latents)
    with torch_stream(run.seed, "weights", device=device):
        model = NetworkModel(NETWORKS[kind], image_shape=list(data.image_shape), **arguments)
    network = model.network.to(device)
    count = min(settings.held_out_images, max(1, data.n_samples // 5))
    held_out = torch.from_numpy(data.array(count)).to(device)
    learner = ReconstructionLearner(
        network,
        held_out,
        learning_rate=settings.learning_rate,
        evaluate_every=settings.evaluate_every,
        patience=settings.patience,
        falls=settings.falls,
    )
    run.notes["last_step"] = train(
        learner, data.after(count), steps=settings.steps, batch_size=settings.batch_size, run=run
    )
    learner.restore_best()
    mean_image = held_out.mean(0)
    run.notes |= {
        "held_out_errors": learner.errors,
        "held_out_error": min(error for _, error in learner.errors),
        "mean_image_error": float(((held_out - mean_image) / WHITE).square().mean()),
    }
    network.cpu()
    return Fitted(model)
