import numpy as np
import pytest

from pdgmm.fitting.samples import Samples


@pytest.fixture
def sparse_x():
    """Samples (600, 4): half-masked Gaussians, rotated and shifted."""
    rng = np.random.default_rng(0)
    z = rng.normal(size=(600, 4)) * (rng.random((600, 4)) < 0.5)
    rotation, _ = np.linalg.qr(rng.normal(size=(4, 4)))
    return (z @ rotation + 0.3).astype(np.float32)


@pytest.fixture
def data(sparse_x):
    return Samples(sparse_x, 4)
