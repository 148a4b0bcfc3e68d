import numpy as np
import pytest

from pdgmm.errors import UserError
from pdgmm.fitting.whitening import principal_whitening


@pytest.fixture
def x():
    rng = np.random.default_rng(0)
    return (rng.normal(size=(500, 3)) @ rng.normal(size=(3, 5)) + 7).astype(np.float32)


def test_white_samples_have_zero_mean_and_unit_covariance(x):
    whitening = principal_whitening(x, 3)
    white = whitening.apply(x)
    assert white.dtype == np.float32
    np.testing.assert_allclose(white.mean(0), 0, atol=1e-4)
    np.testing.assert_allclose(np.cov(white.T, bias=True), np.eye(3), atol=1e-3)
    np.testing.assert_allclose(white @ whitening.inverse.T + whitening.mean, x, atol=1e-3)


def test_further_directions_come_after_the_largest_as_far_as_there_are_any(x):
    few, most = principal_whitening(x, 2), principal_whitening(x, 2, most=5)
    assert most.matrix.shape == (3, 5)
    np.testing.assert_allclose(most.matrix[:2], few.matrix)
    assert most.apply(x).std(0)[2] < 1
    np.testing.assert_allclose(most.apply(x) @ most.inverse.T + most.mean, x, atol=1e-3)


@pytest.mark.parametrize("wanted", [4, 6])
def test_too_few_directions_are_an_error_that_says_so(x, wanted):
    with pytest.raises(UserError, match="ask for fewer"):
        principal_whitening(x, wanted)


def test_constant_observations_are_an_error():
    with pytest.raises(UserError, match="only 0 independent directions"):
        principal_whitening(np.ones((50, 3), np.float32), 1)
