"""The affine unmixing with the largest spike-and-slab likelihood."""

from dataclasses import replace
from typing import TYPE_CHECKING

from pydantic import Field

from pdgmm.fitting.run import Fitted, Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods.base import Method
from pdgmm.seeds import child_seed

if TYPE_CHECKING:
    import numpy as np
    import torch

    from pdgmm.fitting.whitening import Whitening
    from pdgmm.methods.spike_slab.affine_search import AffineSolution
    from pdgmm.methods.spike_slab.spike_slab_prior import SpikeSlabPrior


SUPPORT_SAMPLES = 10_000
"""The most samples from which the supports are found."""


class SpikeSlab(Method):
    """Affine map under which every latent is a narrow spike (masked) or a wide slab (active).

    Maximises ``mean_t sum_i log p_i((W x_t)_i) + log |det W|`` with
    ``p_i = w_i N(c_i, e_i^2) + (1 - w_i) N(m_i, s_i^2)`` over ``W`` and all parameters of ``p_i``, by
    quasi-Newton steps for ``W`` and EM steps for ``p_i``; in the final, ``m_i`` is linear in the other latents
    (:mod:`.dependent_prior`). The spike's centre is learned, so it does not matter at which value a
    latent is masked. The code has every spike at 0 and every slab of standard deviation 1.
    """

    ours = True

    starts: int = Field(8, ge=1, description="Most random orthogonal starts.")
    directions_per_latent: int = Field(
        10,
        ge=0,
        description="Single directions for each latent, each optimised on its own; the best make further "
        "starts. Fewer than 5: none.",
    )
    most_directions: int = Field(
        100,
        ge=0,
        description="Most single directions in all; none if that is fewer than 5 for each latent.",
    )
    search_samples: int = Field(4_000, ge=2, description="Samples that all starts are optimised on.")
    final_samples: int = Field(10_000, ge=2, description="Samples that the best starts are compared on.")
    max_samples: int = Field(1_000_000, ge=2, description="Most samples used; all must fit in memory.")
    search_iterations: int = Field(100, ge=1, description="Iterations of every start.")
    final_iterations: int = Field(15, ge=1, description="Iterations of the best starts on the final samples.")
    polish_iterations: int = Field(5, ge=1, description="Iterations of the best start on all samples.")
    first_width: float = Field(0.6, gt=0, description="Width of the spikes at the start, in slab scales.")
    last_width: float = Field(0.1, gt=0, description="Smallest width of the spikes at the end of the search.")
    narrowest_width: float = Field(
        0.03, gt=0, description="Smallest width of the spikes on the final samples."
    )
    widest_width: float = Field(0.15, gt=0, description="Largest width of the spikes on the final samples.")

    extra_latents: int = Field(
        0,
        ge=0,
        description="Latents beyond the number that is asked for. If the input varies in fewer directions than there "
        "are latents, the last ones are empty: constant 0.",
    )
    halves: bool = Field(
        False,
        description="Also search on each half of the samples, and record how well it finds every latent again.",
    )
    supports: bool = Field(
        False,
        description="Also find which latents are active together, and how often; takes a few more seconds.",
    )

    def learned_latents(self, asked: int) -> int:
        """The dimension of the code, empty latents included."""
        return asked + self.extra_latents

    def fit(self, data: Samples, run: Run) -> Fitted:
        import numpy as np
        import torch

        from pdgmm.errors import FitFailed
        from pdgmm.fitting.whitening import principal_whitening, varying_directions
        from pdgmm.methods.spike_slab.affine_search import found_again, solve
        from pdgmm.models.affine_model import AffineModel

        x = data.array(self.max_samples)
        wanted = self.learned_latents(data.n_latents)
        found = max(data.n_latents, min(wanted, varying_directions(x))) if self.extra_latents else wanted
        whitening = principal_whitening(x, found)
        white = torch.from_numpy(whitening.apply(x)).T.contiguous()
        generator = torch.Generator().manual_seed(child_seed(run.seed, "spike_slab"))
        solution = solve(white, self, generator, given=_as_it_is(whitening))
        unmixing = solution.unmixing.double().numpy()
        if not (np.isfinite(unmixing).all() and np.isfinite(solution.log_likelihood)):
            raise FitFailed("diverged", f"log-likelihood was {solution.log_likelihood}")
        centre, scale = (
            getattr(solution.prior.spikes, name).flatten().double().numpy() for name in ("centre", "scale")
        )
        run.history += [
            {"step": step, "log_likelihood": value} for step, value in enumerate(solution.history, start=1)
        ]
        run.notes |= solution.notes() | {"log_likelihood": solution.log_likelihood + whitening.log_det}
        if self.halves:
            run.notes["found_again"] = found_again(solution, white, self, generator).tolist()
        claims = {}
        model = AffineModel(
            whitening.mean, unmixing @ whitening.matrix / scale[:, None], offset=-centre / scale
        )
        if self.supports:
            claims = _supports(model.encode(x[:SUPPORT_SAMPLES]), solution, wanted)
        return Fitted(model.padded(wanted), claims)


def _supports(code: "np.ndarray", solution: "AffineSolution", latents: int) -> "dict[str, np.ndarray]":
    """Supports of ``code`` (count, latents), most frequent first, and their weights; padded ones are never active."""
    import numpy as np
    import torch

    from pdgmm.methods.spike_slab.patterns import find_supports

    prior = solution.prior.rescaled()
    prior = replace(prior, spikes=prior.spikes.shifted(-prior.spikes.centre))
    spike = prior.evaluate(torch.from_numpy(code).T).spike.T
    found = find_supports(torch.from_numpy(code).double(), spike.double())
    active = found.active.numpy().astype(np.uint8)
    return {
        "supports": np.pad(active, [(0, 0), (0, latents - active.shape[1])]),
        "support_weights": found.weights.numpy(),
    }


def _as_it_is(whitening: "Whitening") -> "tuple[torch.Tensor, SpikeSlabPrior] | None":
    """The start that leaves the input unchanged, with spikes at 0 and slabs of scale 1.

    A flow that maximises the same likelihood gives its code in this form, so this is a good start after it. A search
    from random starts alone might lose that solution.
    """
    import torch

    from pdgmm.methods.spike_slab.spike_slab_prior import SpikeSlabPrior

    if whitening.matrix.shape[0] != whitening.matrix.shape[1]:
        return None
    one = torch.ones(len(whitening.mean), 1)
    centre = torch.from_numpy(-whitening.mean).float()[:, None]
    return torch.from_numpy(whitening.inverse).float(), SpikeSlabPrior(
        weight=0.5 * one, centre=centre, width=0.15 * one, mean=centre, scale=one
    )
