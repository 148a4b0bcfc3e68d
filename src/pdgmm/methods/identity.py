"""The stage that learns nothing: the baseline under ``identity`` (stage 1) and ``none`` (stage 2)."""

from pdgmm.fitting.samples import Observations
from pdgmm.methods.base import Run, Stage
from pdgmm.models.identity_model import IdentityEncoder


class Identity(Stage):
    """Hands its input on unchanged, so that every other stage is compared with no stage at all."""

    uses_torch = False

    def fit(self, data: Observations, run: Run) -> IdentityEncoder:
        return IdentityEncoder()
