"""The affine start that lies nearest to the code of a flow."""

import torch

from pdgmm.methods.spike_slab.dependent_prior import DependentPrior
from pdgmm.methods.spike_slab.spike_slab_prior import (
    Moments,
    SpikeSlabPrior,
    WidthBounds,
    fit_prior,
    log_odds,
    m_step,
)

WIDTHS = WidthBounds(torch.tensor(0.05), torch.tensor(0.6))
"""An affine map leaves the spikes bent, so they look wide."""

SHARP = WidthBounds(torch.tensor(0.03), torch.tensor(0.3))
"""The code's own spikes."""

EM_STEPS = 10


@torch.no_grad()
def regressed_start(
    white: torch.Tensor, code: torch.Tensor, code_prior: SpikeSlabPrior
) -> tuple[torch.Tensor, DependentPrior]:
    """The unmixing (n, n) of ``white`` (samples, n) that is nearest to ``code`` (samples, n), and its prior.

    Least squares for the map. Which samples rest is read from the code, where spikes are sharper, under its density
    ``code_prior`` (n, 1), fitted first; centres, widths and slabs follow from the affine latents of these samples.
    """
    design = torch.cat([white, torch.ones_like(white[:, :1])], dim=1)
    # The default driver (gelsy) rounds differently from call to call. White samples have full rank: `gels` will do.
    unmixing = torch.linalg.lstsq(design, code, driver="gels").solution[: white.shape[1]].T.contiguous()
    y = unmixing @ white.T
    code_prior = fit_prior(code.T, code_prior, SHARP, EM_STEPS)
    spike = log_odds(code_prior, code.T).sigmoid_()
    prior = DependentPrior.from_independent(m_step(Moments.of(spike, y, y * y), WIDTHS))
    for _ in range(EM_STEPS):
        prior = prior.updated(prior.evaluate(y), y, WIDTHS)
    return unmixing, prior
