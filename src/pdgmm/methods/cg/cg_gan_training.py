"""The training of CG-GAN: the adversarial game, then the encoder."""

from typing import Any

import torch
from torch import nn
from torch.nn.functional import one_hot, softplus

from pdgmm.fitting.decoder_jacobian import layers_jacobian
from pdgmm.fitting.devices import resolve_device
from pdgmm.fitting.learners import Batch, Metrics
from pdgmm.fitting.networks import leaky_mlp
from pdgmm.fitting.optimisers import Adam
from pdgmm.fitting.run import Fitted, Run
from pdgmm.fitting.samples import Samples
from pdgmm.fitting.torch_random import torch_stream
from pdgmm.fitting.training_loop import train
from pdgmm.methods.cg.cg_gan import CgGan
from pdgmm.methods.cg.cg_gan_network import CgGanNetwork
from pdgmm.methods.cg.generated import generated_claim
from pdgmm.methods.cg.jacobian_sum import jacobian_sum
from pdgmm.methods.domains.domain_rows import checked_domains
from pdgmm.methods.vae.vae_training import standardise_inputs
from pdgmm.models.network_model import NetworkModel

BETAS = (0.0, 0.99)
"""Adam without momentum in the game, as in StyleGAN2."""


def fit_cg_gan(settings: CgGan, data: Samples, run: Run) -> Fitted:
    """Play the game that ``settings`` describe on ``data``, then train the encoder."""
    device = torch.device(resolve_device(run.device))
    domains = int(checked_domains(data).max()) + 1
    with torch_stream(run.seed, "weights", device=device):
        model = NetworkModel(
            CgGanNetwork,
            x_dim=data.x_dim,
            latents=data.n_latents,
            domains=domains,
            units=settings.units,
            slope=settings.slope,
        )
        critic = leaky_mlp([data.x_dim + domains, *settings.units, 1], settings.slope)
    standardise_inputs(model.network, data)
    learner = CgGanLearner(settings, model.network.to(device), critic.to(device), domains)
    steps = settings.steps + settings.encoder_steps
    train(learner, data, steps=steps, batch_size=settings.batch_size, run=run)
    run.notes["mask"] = model.network.styles.mask().tolist()
    network = model.network.cpu()
    return Fitted(model, generated_claim(lambda u: network.decode(network.latents_of(u)), data, run))


class CgGanLearner:
    """``settings.steps`` rounds of critic and generator, then steps of the encoder."""

    finished = False

    def __init__(self, settings: CgGan, network: CgGanNetwork, critic: nn.Module, domains: int) -> None:
        self._settings, self._network, self._critic, self._domains = settings, network, critic, domains
        players = [*network.generator.parameters(), *network.styles.parameters()]
        rate = settings.learning_rate
        self._optimizers = {
            "critic": Adam(critic.parameters(), rate, betas=BETAS),
            "generator": Adam(players, rate, betas=BETAS),
            "encoder": Adam(network.encoder.parameters(), rate),
        }
        self._step = 0

    def step(self, batch: Batch) -> Metrics:
        u = batch["u"]
        if self._step < self._settings.steps:
            metrics = self._critic_step(self._network.standardised(batch["x"]), u) | self._generator_step(u)
        else:
            metrics = self._encoder_step(u)
        self._step += 1
        return {name: value.detach() for name, value in metrics.items()}

    def _critic_step(self, x: torch.Tensor, u: torch.Tensor) -> Metrics:
        """``softplus(-D(x)) + softplus(D(G(z'))) + gamma/2 |dD/dx|^2``; the last term at real samples (R1)."""
        with torch.no_grad():
            fake = self._network.generator(self._network.latents_of(u))
        x = x.requires_grad_()
        judged = self._judged(x, u)
        (slope,) = torch.autograd.grad(judged.sum(), x, create_graph=True)
        loss = softplus(-judged).mean() + softplus(self._judged(fake, u)).mean()
        loss = loss + 0.5 * self._settings.gradient_penalty * slope.square().sum(dim=1).mean()
        self._take("critic", loss)
        return {"critic": loss}

    def _generator_step(self, u: torch.Tensor) -> Metrics:
        """``softplus(-D(G(z'))) + alpha |J|_1 + mask_weight mean |m|``."""
        settings, network = self._settings, self._network
        z = network.latents_of(u)
        fake, jacobian = layers_jacobian(network.generator, z)
        sparsity = jacobian_sum(jacobian, z, scaled=settings.scaled)
        loss = softplus(-self._judged(fake, u)).mean() + settings.alpha * sparsity
        loss = loss + settings.mask_weight * network.styles.importance.abs().mean()
        self._take("generator", loss)
        return {"loss": loss, "jacobian_sum": sparsity}

    def _encoder_step(self, u: torch.Tensor) -> Metrics:
        """The squared error of ``z'``, in units of its variances."""
        with torch.no_grad():
            z = self._network.latents_of(u)
            x = self._network.generator(z)
        error = (self._network.encoder(x) - z).square().mean(dim=0)
        loss = (error / z.var(dim=0)).mean()
        self._take("encoder", loss)
        return {"loss": loss}

    def _judged(self, x: torch.Tensor, u: torch.Tensor) -> torch.Tensor:
        return self._critic(torch.cat([x, one_hot(u, self._domains).to(x)], dim=1))[:, 0]

    def _take(self, player: str, loss: torch.Tensor) -> None:
        optimizer = self._optimizers[player]
        gradients = torch.autograd.grad(loss, optimizer.parameters)
        for parameter, gradient in zip(optimizer.parameters, gradients, strict=True):
            parameter.grad = gradient
        optimizer.step()

    def scale_learning_rate(self, factor: float) -> None:
        """Use ``factor`` times the base learning rate from the next step on."""
        for optimizer in self._optimizers.values():
            optimizer.scale_learning_rate(factor)

    def state_dict(self) -> dict[str, Any]:
        optimizers = {name: optimizer.state_dict() for name, optimizer in self._optimizers.items()}
        modules = {"network": self._network.state_dict(), "critic": self._critic.state_dict()}
        return modules | {"optimizers": optimizers, "step": self._step}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self._network.load_state_dict(state["network"])
        self._critic.load_state_dict(state["critic"])
        for name, optimizer in self._optimizers.items():
            optimizer.load_state_dict(state["optimizers"][name])
        self._step = int(state["step"])
