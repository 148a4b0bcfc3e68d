import numpy as np
import pytest

from pdgmm.errors import UserError
from pdgmm.evaluation.correlation import correlation

RNG = np.random.default_rng(0)


def test_agrees_with_numpy():
    z, z_hat = RNG.normal(size=(200, 3)), RNG.normal(size=(200, 5))
    expected = np.corrcoef(z.T, z_hat.T)[:3, 3:]
    assert correlation(z, z_hat) == pytest.approx(expected)


def test_constant_columns_correlate_zero():
    z = RNG.normal(size=(100, 2))
    # 0.1 is the classic case of a mean that differs from its equal summands.
    z_hat = np.column_stack([z[:, 0], np.full(100, 0.1), np.zeros(100)])
    found = correlation(z, z_hat)
    assert found[0, 0] == pytest.approx(1.0)
    assert (found[:, 1:] == 0.0).all()


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_extreme_scales_neither_overflow_nor_vanish(scale):
    z = RNG.normal(size=(100, 2))
    assert np.diag(correlation(z, scale * z)) == pytest.approx(1.0)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_non_finite_values_are_named(bad):
    z = RNG.normal(size=(10, 2))
    broken = z.copy()
    broken[3, 1] = bad
    with pytest.raises(UserError, match="learned latents hold NaN or infinity in 1 of 10"):
        correlation(z, broken)
    with pytest.raises(UserError, match="true latents"):
        correlation(broken, z)


def test_arrays_that_do_not_fit_are_named():
    z = RNG.normal(size=(10, 2))
    with pytest.raises(UserError, match="10 samples of true latents but 9"):
        correlation(z, z[:9])
    with pytest.raises(UserError, match="shape"):
        correlation(z, z[:, 0])
    with pytest.raises(UserError, match="one sample"):
        correlation(z[:1], z[:1])
