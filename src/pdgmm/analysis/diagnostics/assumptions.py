"""Do the data look as the theory assumes?"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pdgmm.analysis.diagnostics.activity import Marginals, active_without_spike
from pdgmm.analysis.diagnostics.gaussianity import FEWEST_SAMPLES, Gaussianity, gaussianity
from pdgmm.analysis.diagnostics.mixing_check import Mixing
from pdgmm.analysis.diagnostics.spikes import SpikeEvidence
from pdgmm.analysis.diagnostics.variability import Patterns, Variability, patterns, variability
from pdgmm.analysis.diagnostics.verdict import Verdict
from pdgmm.analysis.diagnostics.diagnostics_wording import enumerated, number_or_null, percent


@dataclass(frozen=True)
class LatentAssumptions:
    """Whether one latent rests at a value, and is Gaussian while it does not."""

    spike: SpikeEvidence
    active: Gaussianity

    @property
    def verdict(self) -> Verdict:
        """Violated without a spike; else what the Gaussianity of the active values gives."""
        return self.active.verdict if self.spike.present else "violated"

    @property
    def sentence(self) -> str:
        """What that means for the result."""
        if not self.spike.present:
            why = enumerated(self.spike.doubts)
            return f"No rest value: {why}. Nothing tells this latent from a mixture with others."
        rests = f"At rest in {percent(self.spike.share)} of the samples"
        return {
            "holds": f"{rests}, and close to Gaussian otherwise, as assumed.",
            "doubtful": f"{rests}; the active values are not quite Gaussian, which costs some precision.",
            "violated": f"{rests}; the active values are not one Gaussian: there are several groups of samples, or "
            "the mixing is not straightened, and the scale of this latent may be bent.",
            "unknown": f"{rests}; fewer than {FEWEST_SAMPLES} active samples do not show their distribution.",
        }[self.active.verdict]

    def as_json(self, number: int) -> dict[str, Any]:
        """One of the entries ``latents``."""
        return {
            "latent": number,
            "spike_share": number_or_null(self.spike.share),
            "spike_value": number_or_null(self.spike.value),
            "spike_width": number_or_null(self.spike.width),
            "active_samples": round(self.active.active_samples),
            **self.active.as_json(),
            "verdict": self.verdict,
            "sentence": self.sentence,
        }


@dataclass(frozen=True)
class Assumptions:
    """All assumptions that can be checked."""

    latents: tuple[LatentAssumptions, ...]
    patterns: Patterns
    variability: Variability
    mixing: Mixing

    def as_json(self) -> dict[str, Any]:
        """The part ``assumptions``."""
        return {
            "latents": [latent.as_json(number) for number, latent in enumerate(self.latents, start=1)],
            **self.patterns.as_json(),
            "variability": self.variability.as_json(),
            "mixing": self.mixing.as_json(),
        }


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
    return Assumptions(
        tuple(
            LatentAssumptions(spike, gaussianity(latents[:, place], weights[:, place]))
            for place, spike in enumerate(spikes)
        ),
        patterns(active),
        variability(active, marginals),
        mixing,
    )
