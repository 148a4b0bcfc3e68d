"""FastICA, the linear baseline."""

from typing import Literal

from pydantic import Field

from pdgmm.errors import FitFailed, UserError
from pdgmm.fitting.run import Fitted, Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods.base import Method
from pdgmm.seeds import child_seed


class FastICA(Method):
    """Independent components by fixed-point iteration on the whitened input (Hyvärinen and Oja, 2000).

    Runs scikit-learn's ``FastICA`` with components scaled to unit variance.
    """

    uses_torch = False

    algorithm: Literal["parallel", "deflation"] = Field(
        "parallel", description="Find all components together (parallel) or one after the other (deflation)."
    )
    fun: Literal["logcosh", "exp", "cube"] = Field(
        "logcosh", description="The contrast function that approximates the negentropy."
    )
    max_iter: int = Field(200, ge=1, description="Largest number of iterations.")
    tol: float = Field(1e-4, gt=0, description="Change of the unmixing matrix that counts as converged.")
    max_samples: int = Field(
        1_000_000, ge=2, description="Most samples used; the first ones are taken and must fit in memory."
    )

    def fit(self, data: Samples, run: Run) -> Fitted:
        import warnings

        import numpy as np
        from sklearn.decomposition import FastICA as SklearnFastICA
        from sklearn.exceptions import ConvergenceWarning

        from pdgmm.models.affine_model import AffineModel

        if data.n_latents > data.x_dim:
            raise UserError(
                f"FastICA cannot find {data.n_latents} latents in {data.x_dim} dimensions: ask for fewer"
            )
        ica = SklearnFastICA(
            n_components=data.n_latents,
            algorithm=self.algorithm,
            fun=self.fun,
            max_iter=self.max_iter,
            tol=self.tol,
            whiten="unit-variance",
            random_state=child_seed(run.seed, "fastica") % 2**32,
        )
        with warnings.catch_warnings(record=True) as caught, np.errstate(all="ignore"):
            warnings.simplefilter("always")
            try:
                ica.fit(data.array(self.max_samples).astype(np.float64))
            except (ValueError, FloatingPointError, np.linalg.LinAlgError) as error:
                raise FitFailed("failed", f"FastICA stopped: {error}") from error
        converged = not any(issubclass(warning.category, ConvergenceWarning) for warning in caught)
        run.notes["converged"] = converged
        run.notes["iterations"] = int(ica.n_iter_)
        if not (np.isfinite(ica.components_).all() and np.isfinite(ica.mean_).all()):
            raise FitFailed("failed", f"FastICA ended in NaN after {ica.n_iter_} iterations")
        return Fitted(AffineModel(ica.mean_, ica.components_))
