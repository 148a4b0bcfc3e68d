"""Means and deviations of a code where a latent is masked and where it is active."""

from typing import NamedTuple

import numpy as np

LOG_2PI = 1.8378770664093453


class KnownMaskMoments(NamedTuple):
    """Per latent (n,): mean and standard deviation over the samples that mask it and over the others."""

    centre: np.ndarray
    width: np.ndarray
    mean: np.ndarray
    scale: np.ndarray

    @classmethod
    def of(cls, code: np.ndarray, active: np.ndarray) -> "KnownMaskMoments":
        """The moments of ``code`` (samples, n); ``active`` (samples, n) says where a latent is active."""
        columns = list(zip(code.T.astype(np.float64), active.T, strict=True))
        values = [
            (column[~on].mean(), column[~on].std(), column[on].mean(), column[on].std())
            for column, on in columns
        ]
        return cls(*np.array(values).T)

    def log_likelihood(self, code: np.ndarray, active: np.ndarray, narrowest: float) -> float:
        """Mean over the samples of ``sum_i log N(code_i; …)``, each latent on its own.

        Masked latents are at least ``narrowest`` times as wide as active ones: on noiseless samples their
        density would grow without bound.
        """
        width = np.maximum(self.width, narrowest * self.scale)
        mean, deviation = np.where(active, self.mean, self.centre), np.where(active, self.scale, width)
        densities = -0.5 * ((code - mean) / deviation) ** 2 - np.log(deviation) - 0.5 * LOG_2PI
        return float(densities.sum(axis=1).mean())
