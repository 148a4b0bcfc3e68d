"""What a user can choose about an analysis of their own data."""

from pydantic import Field

from pdgmm.settings import Settings


class AnalysisOptions(Settings):
    """How a user's own data are fitted and checked."""

    n_latents: int | None = Field(
        None, ge=1, description="number of latents; null: chosen by held-out likelihood"
    )
    quick: bool = Field(False, description="affine maps only: seconds to a minute or two")
    fits: int = Field(5, ge=5, description="further fits on resampled data, which tell what is stable")
    steps: int | None = Field(
        None, ge=1, description="training steps of the flow; null: by the number of latents"
    )
    alpha: float = Field(0.01, gt=0, lt=1, description="significance level of the causal graph")
    seed: int = Field(0, ge=0, description="seed of everything that is random")
