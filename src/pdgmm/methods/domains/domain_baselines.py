"""Two baselines for data from several domains: the domain's mean, and an ICA of its own in every domain."""

from pydantic import Field

from pdgmm.errors import FitFailed
from pdgmm.fitting.run import Fitted, Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods.base import Method
from pdgmm.methods.fastica import FastICA


class DomainMeans(Method):
    """The code of a sample is the mean of x in its domain: what can be had without looking at the sample.

    Over all samples it correlates highly with latents whose means differ between domains, inside domains not at all.
    """

    sees = ("u",)

    max_samples: int = Field(1_000_000, ge=2, description="Most samples used; the first ones are taken.")

    def fit(self, data: Samples, run: Run) -> Fitted:
        import numpy as np

        from pdgmm.methods.domains.domain_rows import checked_domains
        from pdgmm.methods.domains.per_domain_network import per_domain_model

        u = checked_domains(data)[: self.max_samples]
        x = data.array(self.max_samples)
        means = np.stack([x[u == domain].mean(axis=0, dtype=np.float64) for domain in range(u.max() + 1)])
        return Fitted(per_domain_model(np.zeros((*means.shape, data.x_dim)), means))


class FasticaPerDomain(FastICA):
    """FastICA inside every domain; the components of all domains are matched to those of the first.

    Each domain's components are computed for all samples; those that correlate most are the same, by the Hungarian
    algorithm, and get the same sign.
    """

    uses_torch = True
    sees = ("u",)

    def fit(self, data: Samples, run: Run) -> Fitted:
        import numpy as np
        from scipy.optimize import linear_sum_assignment

        from pdgmm.methods.domains.domain_rows import checked_domains
        from pdgmm.methods.domains.per_domain_network import per_domain_model
        from pdgmm.seeds import child_seed

        u = checked_domains(data)[: self.max_samples]
        x = data.array(self.max_samples)
        weights = []
        for domain in range(u.max() + 1):
            own = Run(seed=child_seed(run.seed, "domain", domain))
            try:
                fitted = super().fit(Samples(x[u == domain], data.n_latents), own)
            except FitFailed as error:
                raise FitFailed(error.status, f"domain {domain}: {error.reason}") from error
            weights.append(fitted.model.weight)
        centred = x - x.mean(axis=0, dtype=np.float64)
        reference = centred @ weights[0].T
        for domain, weight in enumerate(weights[1:], start=1):
            n = len(weight)
            signed = np.corrcoef(reference.T, weight @ centred.T)[:n, n:]
            first, own_places = linear_sum_assignment(np.abs(signed), maximize=True)
            signs = np.where(signed[first, own_places] < 0, -1.0, 1.0)
            weights[domain] = weight[own_places] * signs[:, None]
        stacked = np.stack(weights)
        return Fitted(per_domain_model(stacked, -stacked @ x.mean(axis=0, dtype=np.float64)))
