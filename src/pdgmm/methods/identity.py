"""The method that learns nothing and returns the raw observation: a baseline for all others."""

from pdgmm.fitting.run import Fitted, Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods.base import Method
from pdgmm.models.affine_model import IdentityModel


class Identity(Method):
    """Hands its input on unchanged, so that every other method is compared with no method at all."""

    uses_torch = False

    def fit(self, data: Samples, run: Run) -> Fitted:
        return Fitted(IdentityModel())
