"""The torch side of the flow for several domains."""

from typing import Any

import numpy as np
import torch
from torch import nn

from pdgmm.fitting.devices import resolve_device
from pdgmm.fitting.learners import Batch
from pdgmm.fitting.run import Fitted, Run
from pdgmm.fitting.samples import Samples
from pdgmm.fitting.torch_random import torch_stream
from pdgmm.fitting.training_loop import train
from pdgmm.methods.domains.domain_flow import DomainFlow
from pdgmm.methods.domains.domain_gaussians import fitted_gaussians, profile_log_likelihood
from pdgmm.methods.domains.domain_rows import checked_domains
from pdgmm.methods.domains.flow_sparsity import log_column_sums, mixing_jacobian
from pdgmm.methods.domains.linear_domains import fit_linear
from pdgmm.methods.domains.nonstationary import Nonstationary
from pdgmm.methods.domains.sparse_mixing import edges
from pdgmm.methods.flow.flow_fitting import Effort, effort_for, split_and_whitened
from pdgmm.methods.flow.flow_learner import FlowLearner
from pdgmm.methods.flow.flow_schedule import FlowSchedule
from pdgmm.methods.flow.selection import noisy
from pdgmm.models.coupling_flow import CouplingFlow
from pdgmm.models.flow_model import FlowModel
from pdgmm.seeds import child_generator

EVALUATIONS = 10
"""How often the held-out likelihood is measured while training."""

FEW = 20_000
"""Samples that the moments of domains are measured on when a state is scored."""

JUDGED = 500
"""Samples at which the sparsity of a state is measured when it is scored."""


def fit_domain_flow(settings: DomainFlow, data: Samples, run: Run) -> Fitted:
    """Train the flow that ``settings`` describe on ``data``."""
    device = torch.device(resolve_device(run.device))
    n = data.n_latents
    x = data.array(settings.max_samples)
    u = checked_domains(data)[: len(x)]
    linear = fit_linear(Nonstationary(), x, u, n)
    whitening, training, held_out = split_and_whitened(settings, data, run)
    # The order in which split_and_whitened takes the samples.
    held_u, training_u = np.split(
        u[child_generator(run.seed, "held out").permutation(len(x))], [len(held_out)]
    )
    effort = effort_for(settings, settings.steps, n, len(training))
    with torch_stream(run.seed, "flow", device=torch.device("cpu")):
        flow = CouplingFlow(training.shape[1], blocks=settings.blocks, width=settings.width_for(n))
    flow.start_as(torch.from_numpy(linear.weight @ whitening.inverse[:, :n]).float(), torch.zeros(n))
    deviations = np.maximum(x.std(axis=0), 1e-12)
    judge = _Judge(
        noisy(training[:FEW], effort.noise, run.seed).to(device),
        torch.from_numpy(training_u[:FEW]).to(device),
        noisy(held_out, effort.noise, run.seed).to(device),
        torch.from_numpy(held_u).to(device),
        back=torch.from_numpy(whitening.inverse / deviations[:, None]).float().to(device),
        n=n,
        sparsity=settings.sparsity,
    )
    learner = DomainFlowLearner(settings, effort, flow.to(device), judge)
    samples = Samples(training, n, side={"u": training_u})
    train(learner, samples, steps=effort.steps, batch_size=settings.batch_for(n), run=run)
    run.notes["best_step"] = learner.restore_best()
    run.notes["held_out_objectives"] = learner.scores
    log_likelihood, effects, gaussians = judge.described(flow)
    run.notes["held_out_log_likelihood"] = log_likelihood
    total = gaussians.variances.mean(dim=0) + gaussians.means.var(dim=0, correction=0)
    run.notes["share_of_variance_between_domains"] = (1 - gaussians.variances.mean(dim=0) / total).tolist()
    model = FlowModel(flow.cpu(), n, whitening.mean, whitening.matrix, whitening.inverse)
    return Fitted(model, {"mixing_support": edges(effects)})


class _Judge:
    """The objective of a flow on held-out samples, under moments of the domains measured on training samples."""

    def __init__(
        self,
        few: torch.Tensor,
        few_u: torch.Tensor,
        held: torch.Tensor,
        held_u: torch.Tensor,
        *,
        back: torch.Tensor,
        n: int,
        sparsity: float,
    ) -> None:
        self._few, self._few_u, self._held, self._held_u = few, few_u, held, held_u
        self.back, self.n, self.domains = back, n, int(few_u.max()) + 1
        self._sparsity = sparsity

    @torch.no_grad()
    def __call__(self, flow: CouplingFlow, prior: nn.Module) -> float:
        code, _ = flow(self._few)
        y, log_det = flow(self._held)
        gaussians = fitted_gaussians(code, self._few_u, self.domains, self.n)
        value = (gaussians.log_density(y, self._held_u) + log_det).mean()
        if self._sparsity:
            jacobian = mixing_jacobian(flow, y[:JUDGED], code[:, : self.n].std(dim=0), self.back)
            value = value - self._sparsity * log_column_sums(jacobian)
        return float(value)

    @torch.no_grad()
    def described(self, flow: CouplingFlow) -> tuple[float, np.ndarray, Any]:
        """The held-out log-likelihood, the mean effects (x_dim, n) of latents on coordinates, and the Gaussians."""
        code, _ = flow(self._few)
        y, log_det = flow(self._held)
        gaussians = fitted_gaussians(code, self._few_u, self.domains, self.n)
        jacobian = mixing_jacobian(flow, y[:JUDGED], code[:, : self.n].std(dim=0), self.back)
        value = float((gaussians.log_density(y, self._held_u) + log_det).mean())
        return value, jacobian.abs().mean(dim=0).cpu().numpy(), gaussians


class DomainFlowLearner(FlowLearner):
    """Trains a flow by the likelihood of the domains, profiled over their moments, and the sparsity of the mixing."""

    def __init__(self, settings: DomainFlow, effort: Effort, flow: CouplingFlow, judge: _Judge) -> None:
        self._judge = judge
        self._sparsity, self._rows = settings.sparsity, settings.jacobian_samples
        super().__init__(
            flow,
            nn.Module(),
            schedule=FlowSchedule(effort.steps, turns=0),
            learning_rate=effort.learning_rate,
            gradient_clip=settings.gradient_clip,
            input_noise=effort.noise,
            score=judge,
            turn=lambda *_: False,
            evaluations=EVALUATIONS,
        )

    def _loss(self, batch: Batch) -> torch.Tensor:
        judge = self._judge
        y, log_det = self._code(batch["x"])
        loss = -profile_log_likelihood(y, batch["u"], judge.domains, judge.n) - log_det
        if not self._sparsity:
            return loss
        places = y[: self._rows].detach()
        jacobian = mixing_jacobian(self.flow, places, y[:, : judge.n].std(dim=0), judge.back)
        return loss + self._sparsity * log_column_sums(jacobian)
