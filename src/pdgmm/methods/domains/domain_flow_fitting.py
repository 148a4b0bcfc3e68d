"""The torch side of the flow for several domains."""

from typing import NamedTuple

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
from pdgmm.methods.domains.domain_gaussians import DomainGaussians, fitted_gaussians, profile_log_likelihood
from pdgmm.methods.domains.domain_rows import checked_domains
from pdgmm.methods.domains.flow_sparsity import denseness, mixing_jacobian
from pdgmm.methods.domains.linear_domains import fit_linear
from pdgmm.methods.domains.nonstationary import Nonstationary
from pdgmm.methods.flow.flow_learner import FlowLearner
from pdgmm.methods.flow.flow_preparation import Effort, effort_for, split_and_whitened
from pdgmm.methods.flow.flow_schedule import FlowSchedule
from pdgmm.methods.flow.selection import noisy
from pdgmm.models.coupling_flow import CouplingFlow
from pdgmm.models.flow_model import FlowModel
from pdgmm.seeds import child_generator

EVALUATIONS = 10
"""How often the held-out likelihood is measured while training."""

FEW = 20_000
"""Samples that the moments of domains are measured on when a state is scored."""

FEWEST_JUDGED = 20
"""Domains with fewer samples among those are left out of the score."""

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
        domains=int(u.max()) + 1,
        sparsity=settings.sparsity,
    )
    learner = DomainFlowLearner(settings, effort, flow.to(device), judge)
    samples = Samples(training, n, side={"u": training_u})
    train(learner, samples, steps=effort.steps, batch_size=settings.batch_for(n), run=run)
    run.notes["best_step"] = learner.restore_best()
    run.notes["held_out_objectives"] = learner.scores
    measured = judge.measured(flow)
    run.notes["held_out_log_likelihood"] = measured.log_likelihood
    run.notes["variances_of_domains"] = measured.gaussians.variances.tolist()
    model = FlowModel(flow.cpu(), n, whitening.mean, whitening.matrix, whitening.inverse)
    return Fitted(model, {"jacobian": measured.jacobian.square().mean(dim=0).sqrt().cpu().numpy()})


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
        domains: int,
        sparsity: float,
    ) -> None:
        self.back, self.n, self.domains = back, n, domains
        self._few, self._few_u, self._sparsity = few, few_u, sparsity
        judged = torch.bincount(few_u, minlength=domains)[held_u] >= FEWEST_JUDGED
        self._held, self._held_u = held[judged], held_u[judged]

    def __call__(self, flow: CouplingFlow, prior: nn.Module) -> float:
        measured = self.measured(flow)
        return measured.log_likelihood - self._sparsity * float(denseness(measured.jacobian))

    @torch.no_grad()
    def measured(self, flow: CouplingFlow) -> "Measured":
        """What the held-out samples say about ``flow``."""
        code, _ = flow(self._few)
        y, log_det = flow(self._held)
        gaussians = fitted_gaussians(code, self._few_u, self.domains, self.n)
        log_likelihood = (gaussians.log_density(y, self._held_u) + log_det).mean()
        jacobian = mixing_jacobian(flow, y[:JUDGED], code[:, : self.n].std(dim=0), self.back)
        return Measured(float(log_likelihood), jacobian, gaussians)


class Measured(NamedTuple):
    """The log-likelihood of held-out samples, the ``jacobian`` of the mixing at some of them, and the domains."""

    log_likelihood: float
    jacobian: torch.Tensor
    gaussians: DomainGaussians


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
        return loss + self._sparsity * denseness(jacobian)
