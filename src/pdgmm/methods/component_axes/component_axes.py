"""A second part of a chain: single latents from a code that is an affine map of them."""

from pydantic import Field

from pdgmm.errors import UserError
from pdgmm.fitting.run import Fitted, Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods.base import Method


class ComponentAxes(Method):
    """Fits a Gaussian mixture to a code and turns it to the axes along which all components are diagonal.

    Theorem E.1 of Kivva et al. (2022), which the paper proves and does not run: if latents are independent within
    every component and two components have distinct ratios of variances, an affine map of the latents (what ``vade``
    or a flow under a mixture finds) becomes the latents themselves, up to order, sign, scale and shift. Covariances
    are full. The number of components is chosen by the likelihood of held-out samples.
    """

    uses_torch = False

    components: int | None = Field(
        None,
        ge=1,
        description="Components of the mixture. null: the number with the best held-out likelihood.",
    )
    most_components: int = Field(8, ge=2, description="Largest number of components to try.")
    starts: int = Field(3, ge=1, description="Starts of each mixture; the best one is kept.")
    held_out: float = Field(
        0.2, gt=0, lt=1, description="Share of the samples that choose the number of components."
    )
    max_samples: int = Field(50_000, ge=20, description="Most samples used; the first ones are taken.")

    def size(self) -> str:
        """The mixture."""
        return f"{self.components or f'up to {self.most_components}'} components"

    def fit(self, data: Samples, run: Run) -> Fitted:
        from pdgmm.methods.component_axes.axes_fitting import fit_axes

        if data.n_latents > data.x_dim:
            raise UserError(
                f"component_axes cannot find {data.n_latents} latents in {data.x_dim} dimensions: ask for fewer"
            )
        return fit_axes(self, data, run)
