"""Stage 2 of the paper, a sparse affine map as a constrained problem, and its ablation without the constraint."""

from pydantic import Field

from pdgmm.fitting.run import Fitted, Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods.gradient_training import GradientTrained, Layers


class Unconstrained(GradientTrained):
    """Reconstructs the code of stage 1 through deep linear nets, without asking for sparsity.

    With ``z = batch_norm(f(x))`` it minimises ``mean_ij (g(z) - x)_ij^2`` over the affine maps ``f`` and
    ``g``, each a deep linear net. The defaults are the sizes of Xu, Lachapelle and Magliacane (2026).
    """

    steps: int = Field(80_000, ge=1, description="Training steps.")
    widths: Layers = Field(
        [10, 50, 50, 50, 50, 10],
        description="Hidden layers of the deep linear encoder, as multiples of the number of latents; "
        "the decoder mirrors them. []: a single affine layer each.",
    )
    learned_scale: bool = Field(
        True,
        description="Learn the scale of the batch norm on the encoder's output; false: unit variance.",
    )
    standardise: bool = Field(
        False,
        description="Divide the input by its overall standard deviation first, so that the sparsity level and "
        "the reconstruction error do not depend on the scale of stage 1's code; false: do not, as in the paper.",
    )

    def fit(self, data: Samples, run: Run) -> Fitted:
        from pdgmm.methods.sparse_affine.sparse_affine_training import fit_sparse_affine

        return fit_sparse_affine(self, data, run)


class Lagrangian(Unconstrained):
    """Reconstructs the code of stage 1 through a sparse one, as in Xu, Lachapelle and Magliacane (2026).

    With ``z = batch_norm(f(x))`` it minimises ``mean_ij (g(z) - x)_ij^2`` over the affine maps ``f`` and
    ``g``, each a deep linear net, subject to ``mean_ij |z_ij| <= sparsity``: a saddle point of the
    Lagrangian, found by (extra)gradient descent on the nets and ascent on the multiplier. The defaults are
    the paper's sizes. The experiments ``shorter_training`` and ``whole_training`` compare ``stand_in``
    with them.
    """

    stand_in = {
        "steps": 12_500,
        "batch_size": 2048,
        "learning_rate": 6e-4,
        "dual_learning_rate": 3e-4,
        "extragradient": False,
        "standardise": False,
    }

    sparsity: float = Field(0.01, gt=0, description="Largest mean absolute value of the sparse code.")
    dual_learning_rate: float = Field(5e-5, gt=0, description="Learning rate of Adam on the multiplier.")
    extragradient: bool = Field(
        True,
        description="Take each step with the gradient at a look-ahead point (ExtraAdam), which costs two "
        "gradients for each step; false: plain simultaneous descent and ascent.",
    )
