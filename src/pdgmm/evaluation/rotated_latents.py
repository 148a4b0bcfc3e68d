"""What chance levels are measured on: true latents that are mixed without loss."""

from collections.abc import Iterator

import numpy as np

from pdgmm.evaluation.correlation import standardised
from pdgmm.seeds import child_generator


def rotated_latents(z: np.ndarray, count: int, purpose: str) -> Iterator[np.ndarray]:
    """True latents (samples, n), decorrelated and rotated at random, ``count`` times; none if all are constant.

    The rotations are the same ones every time; ``purpose`` names their random stream.
    """
    left, sizes, _ = np.linalg.svd(standardised(np.asarray(z, dtype=np.float64)), full_matrices=False)
    whitened = left[:, sizes > 1e-9 * sizes[0]]
    if not whitened.shape[1]:
        return
    rng = child_generator(0, purpose)
    for _ in range(count):
        yield whitened @ np.linalg.qr(rng.normal(size=(whitened.shape[1],) * 2))[0]
