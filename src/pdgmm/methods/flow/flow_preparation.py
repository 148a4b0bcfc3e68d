"""What every flow does before its training: whitened samples, some of them held out, and how long to train."""

from typing import NamedTuple

import numpy as np

from pdgmm.fitting.run import Run
from pdgmm.fitting.samples import Samples
from pdgmm.fitting.whitening import Whitening, principal_whitening
from pdgmm.methods.flow.flow import FlowSettings
from pdgmm.seeds import child_generator

PLENTY = 20_000
"""With at least this many samples, nothing is done against overfitting."""


class Effort(NamedTuple):
    """How long and how a flow is trained."""

    steps: int
    learning_rate: float
    noise: float


def effort_for(settings: FlowSettings, steps: int, n_latents: int, samples: int) -> Effort:
    """How long and how to train on this many samples. Few samples get fewer, smaller steps and more noise."""
    shortage = min(1.0, samples / PLENTY) ** 0.5
    most_steps = settings.most_epochs * max(1, samples // settings.batch_for(n_latents))
    return Effort(
        steps=min(steps, most_steps),
        learning_rate=settings.learning_rate * shortage,
        noise=settings.input_noise / shortage**0.5,
    )


def split_and_whitened(
    settings: FlowSettings, data: Samples, run: Run
) -> tuple[Whitening, np.ndarray, np.ndarray]:
    """The whitening of ``data``, and its whitened samples: those to train on and those held out."""
    x = data.array(settings.max_samples)
    n = data.n_latents
    whitening = principal_whitening(x, n, most=min(data.x_dim, settings.most_dims_per_latent * n))
    white = whitening.apply(x)[child_generator(run.seed, "held out").permutation(len(x))]
    held_out, training = np.split(white, [min(settings.held_out_samples, len(x) // 5)])
    return whitening, training, held_out
