"""A flow under Gaussians of every domain, with a mixing as sparse as the likelihood allows."""

from pydantic import Field

from pdgmm.fitting.run import Fitted, Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods.flow.flow import FlowSettings


class DomainFlow(FlowSettings):
    """Coupling flow with its exact likelihood under independent Gaussian latents in every domain.

    Minimises ``1/2 sum_u p_u sum_i log var_u(f_i(x)) - mean log |det df/dx| + sparsity * S`` over f, started from the
    linear solution (``nonstationary``). The Gaussians have a closed form: the moments of the code in the domain.
    ``S = mean [sum_k log |J_k|_1 - 1/2 log det J^T J]``, with ``J = dx/dz`` in deviations of x and ``|J_k|_1`` the
    sum over observed coordinates, is smaller for a sparser mixing and never negative. It does not depend on the
    scales of the latents, and decides between codes that the domains cannot tell apart. With more observed than
    latent dimensions, the flow's further coordinates are pressed together. The state with the best objective on
    held-out samples is kept.
    """

    sees = ("u",)

    steps: int = Field(1500, ge=1, description="Training steps.")
    sparsity: float = Field(
        0.3,
        ge=0,
        description="Weight of the sparsity of the mixing, in nats per sample. 0: likelihood alone.",
    )
    jacobian_samples: int = Field(
        64, ge=1, description="Samples of a batch at which the sparsity is measured in a step."
    )
    learning_rate: float = FlowSettings.changed("learning_rate", 0.01)
    blocks: int = FlowSettings.changed("blocks", 8)
    input_noise: float = FlowSettings.changed("input_noise", 0.01)

    def size(self) -> str:
        """The steps and the size of the flow."""
        return f"{self.steps:,} steps, {self.blocks} couplings, sparsity {self.sparsity:g}"

    def fit(self, data: Samples, run: Run) -> Fitted:
        from pdgmm.methods.domains.domain_flow_fitting import fit_domain_flow

        return fit_domain_flow(self, data, run)
