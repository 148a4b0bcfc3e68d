"""From settings and observations to a trained VaDE."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

from pdgmm.errors import FitFailed, UserError
from pdgmm.fitting.devices import resolve_device
from pdgmm.fitting.learners import AdamLearner, Batch, Metrics
from pdgmm.fitting.run import Fitted, Run
from pdgmm.fitting.samples import Samples
from pdgmm.fitting.torch_random import torch_stream
from pdgmm.fitting.training_loop import train
from pdgmm.methods.vade.vade import Vade
from pdgmm.methods.vade.vade_model import VadeModel, autoencoder_loss, negative_elbo
from pdgmm.models.network_model import NetworkModel, in_batches
from pdgmm.seeds import child_seed

STANDARDISATION_ROWS = 100_000


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
        x = torch.from_numpy(data.array(STANDARDISATION_ROWS)).double()
        deviation = x.std(dim=0, correction=0)
        model.input_mean.copy_(x.mean(dim=0))
        # A coordinate that is constant holds nothing to scale by.
        model.input_deviation.copy_(torch.where(deviation > 0, deviation, 1.0))
    model.to(device).train()

    def start() -> None:
        x, seed = data.array(settings.mixture_samples), child_seed(run.seed, "mixture")
        start_mixture(model, x, noise_variance=settings.noise_variance, seed=seed)

    train(
        VadeLearner(model, settings, start),
        data,
        steps=settings.pretraining_steps + settings.steps,
        batch_size=settings.batch_size,
        run=run,
        schedule=settings.schedule,
    )
    model.cpu()
    return Fitted(fitted)


class VadeLearner(AdamLearner):
    """Trains the networks as an autoencoder for ``pretraining_steps``, then the whole model by its bound.

    Between the two, ``start_mixture()`` is called once and Adam starts afresh. It is called in the first step
    of the second phase and must depend on nothing but the model, so that a resumed training finds the same
    mixture. Without pretraining it is never called.
    """

    def __init__(self, model: VadeModel, settings: Vade, start_mixture: Callable[[], None]) -> None:
        super().__init__(
            model, self._loss, learning_rate=settings.learning_rate, gradient_clip=settings.gradient_clip
        )
        self._settings = settings
        self._start_mixture = start_mixture
        self._step = 0

    def step(self, batch: Batch) -> Metrics:
        if self._step == self._settings.pretraining_steps > 0:
            self._start_mixture()
            self._optimizer.reset()
        metrics = super().step(batch)
        self._step += 1
        return metrics

    def state_dict(self) -> dict[str, Any]:
        return super().state_dict() | {"step": self._step}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        super().load_state_dict(state)
        self._step = int(state["step"])

    def _loss(self, batch: Batch) -> Metrics:
        x = self._model.standardised(batch["x"])
        objective = autoencoder_loss if self._step < self._settings.pretraining_steps else negative_elbo
        return objective(self._model, x, self._settings.noise_variance)


@torch.no_grad()
def start_mixture(model: VadeModel, x: np.ndarray, *, noise_variance: float, seed: int) -> None:
    """Fit a mixture with diagonal covariances to the codes of raw samples ``x``; start prior and posterior there.

    A standardised sample with noise of variance ``noise_variance`` has a code with noise of about that share of
    the codes' own variance: this is where ``q(z | x)`` starts. The components of the prior are wider than those
    of the codes, the means of ``q(z | x)``, by the same. Depends on nothing but the arguments.
    """
    prior, device = model.prior, model.input_mean.device
    codes = torch.from_numpy(in_batches(model.encode, x, device)).double()
    if not torch.isfinite(codes).all():
        raise FitFailed("diverged", "codes were not finite after pretraining")
    variances = noise_variance * codes.var(dim=0, correction=0)
    # A code that is constant would have a log variance of minus infinity.
    variances = variances.clamp(min=torch.finfo(torch.float32).eps)
    mixture = GaussianMixture(len(prior.logits), covariance_type="diag", random_state=seed % 2**32)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        # A start need not have converged, and codes may coincide.
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            mixture.fit(codes.numpy())
        except (ValueError, np.linalg.LinAlgError) as error:
            raise FitFailed("failed", f"no mixture fits the pretrained codes: {error}") from error
    prior.logits.copy_(torch.from_numpy(np.log(mixture.weights_)))
    prior.means.copy_(torch.from_numpy(mixture.means_))
    prior.log_variances.copy_((torch.from_numpy(mixture.covariances_) + variances).log())
    model.start_posterior(variances.to(device, torch.float32))
