"""A flow under a Gaussian mixture, for latents that never rest."""

from pydantic import Field

from pdgmm.fitting.run import Fitted, Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods.flow.flow import FlowSettings


class FlowGmm(FlowSettings):
    """Coupling flow trained by maximum likelihood under a Gaussian mixture with full covariances.

    Maximises ``mean log sum_j w_j N(f(x); m_j, C_j) + log |det df/dx|``: the model of Kivva et al. (2022), whose
    latents are identified up to an affine map, with its exact likelihood. The mixture is refreshed by EM while the
    flow learns.

    Inside a cluster a Gaussian cannot tell its own rotations apart. Where clusters do not touch, a flexible flow
    gains likelihood by turning them one by one, and held-out samples of the same clusters do not show it. So whole
    clusters are held out: the state is kept in which clusters that the flow has not seen are most Gaussian. It may be
    the start, the observation itself. The code is turned and scaled such that it is closest to the observations.
    """

    components: int | None = Field(
        None,
        ge=1,
        description="Components of the mixture; fewer if samples are few. null: 5 for each latent.",
    )
    steps: int = Field(1000, ge=1, description="Most training steps.")
    learning_rate: float = FlowSettings.changed("learning_rate", 1e-3)
    refresh_every: int = Field(20, ge=1, description="Steps between two EM steps of the mixture.")
    held_out_clusters: float = Field(
        0.2,
        gt=0,
        lt=1,
        description="Share of the clusters that are hidden from the flow; they choose the state to keep.",
    )
    mixture_samples: int = Field(20_000, ge=10, description="Samples that the mixture is fitted to.")

    def size(self) -> str:
        """The steps and the size of the flow."""
        return f"{self.steps:,} steps, {self.blocks} couplings, {self.components or '5 n'} components"

    def fit(self, data: Samples, run: Run) -> Fitted:
        from pdgmm.methods.flow.flow_gmm_fitting import fit_flow_gmm

        return fit_flow_gmm(self, data, run)
