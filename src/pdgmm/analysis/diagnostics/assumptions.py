"""Do the data look as the theory assumes?"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from pdgmm.analysis.answers import Assumptions, LatentAssumptions, Mixing
from pdgmm.analysis.diagnostics.activity import Marginals, active_without_spike
from pdgmm.analysis.diagnostics.gaussianity import FEWEST_SAMPLES, ActiveValues, active_values
from pdgmm.analysis.diagnostics.spikes import SpikeEvidence
from pdgmm.analysis.diagnostics.variability import patterns, variability
from pdgmm.analysis.wording import listed, percent


def assumptions(
    latents: np.ndarray, estimator: Any, spikes: Sequence[SpikeEvidence], mixing: Mixing
) -> Assumptions:
    """Check the assumptions on latents (samples, n) of a fitted :class:`pdgmm.estimator.PDGMM`.

    A latent without a real spike counts as active throughout: what is read as resting is a mere peak.
    """
    marginals = Marginals.of(estimator)
    resting = marginals.spike_posterior(latents)
    present = np.array([spike.present for spike in spikes], dtype=bool)
    weights = np.where(present, 1 - resting, 1.0)
    active = active_without_spike(resting <= 0.5, spikes)
    frequent = patterns(active)
    return Assumptions(
        latents=[
            _latent(place + 1, spike, active_values(latents[:, place], weights[:, place]))
            for place, spike in enumerate(spikes)
        ],
        patterns=frequent,
        patterns_share=min(1.0, sum(pattern.share for pattern in frequent)),
        variability=variability(active, marginals),
        mixing=mixing,
    )


def _latent(number: int, spike: SpikeEvidence, active: ActiveValues) -> LatentAssumptions:
    """Violated without a spike; else what the Gaussianity of the active values gives."""
    verdict = active.verdict if spike.present else "violated"
    return LatentAssumptions(
        latent=number,
        spike_share=spike.share,
        spike_value=spike.value,
        spike_width=spike.width,
        active_samples=round(active.samples),
        gaussianity=active.gaussianity,
        quantiles=active.quantiles,
        verdict=verdict,
        sentence=_sentence(spike, active),
    )


def _sentence(spike: SpikeEvidence, active: ActiveValues) -> str:
    if not spike.present:
        return f"No rest value: {listed(spike.doubts)}. Nothing tells this latent from a mixture with others."
    return (
        f"At rest in {percent(spike.share)} of the samples"
        + {
            "holds": ", and close to Gaussian otherwise, as assumed.",
            "doubtful": "; the active values are not quite Gaussian, which costs some precision.",
            "violated": "; the active values are not one Gaussian: there are several groups of samples, or the "
            "mixing is not straightened, and the scale of this latent may be bent.",
            "unknown": f"; fewer than {FEWEST_SAMPLES} active samples do not show their distribution.",
        }[active.verdict]
    )
