"""The stage that learns nothing: the baseline under ``identity`` (stage 1) and ``none`` (stage 2)."""

from pdgmm.encoders.identity import IdentityEncoder
from pdgmm.observations import Observations
from pdgmm.stages.base import Run, Stage


class Identity(Stage):
    """Hands its input on unchanged, so that every other stage is compared with no stage at all."""

    uses_torch = False

    def fit(self, data: Observations, run: Run) -> IdentityEncoder:
        return IdentityEncoder()
