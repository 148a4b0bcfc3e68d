"""The closed form against quadrature, and the examples in which identification fails."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import simpson
from scipy.stats import norm

from pdgmm.theory.exact_density import log_component_densities, log_mixture_densities
from pdgmm.theory.piecewise_line import PiecewiseLine

ABSOLUTE = PiecewiseLine((0.0,), (-1.0, 1.0), (0.0, 0.0))
BENT = PiecewiseLine.two_relus((1.0, -1.0), (1.0, 0.5), (0.5, -1.0))
X = np.linspace(-9, 9, 37)


def density(x, line, means, weights, spread=1.0, noise=0.5):
    components = log_component_densities(x, line, np.array(means), spread=spread, noise=noise)
    return np.exp(log_mixture_densities(components, np.array([weights]))[0])


@pytest.mark.parametrize("line", [ABSOLUTE, BENT, PiecewiseLine((), (0.0,), (1.5,))])
@pytest.mark.parametrize(("mean", "spread", "noise"), [(0.7, 1.0, 0.5), (-2.0, 0.6, 0.2)])
def test_the_closed_form_is_an_integral_over_z(line, mean, spread, noise):
    closed = density(X, line, [mean], [1.0], spread, noise)
    ends = [mean - 14 * spread, *line.breaks, mean + 14 * spread]
    expected = np.zeros(len(X))
    # Simpson's rule between the bends, where the integrand is smooth.
    for low, high in pairwise(ends):
        z = np.linspace(low, high, 4001)
        expected += simpson(norm.pdf(X[:, None], line(z), noise) * norm.pdf(z, mean, spread), x=z, axis=1)
    np.testing.assert_allclose(closed, expected, rtol=1e-9, atol=1e-12)


def test_far_tails_stay_finite():
    far = log_component_densities(np.array([-60.0, 60.0]), BENT, np.array([0.0]), spread=1.0, noise=0.5)
    assert np.isfinite(far).all()
    assert (far < -500).all()
    mixed = log_mixture_densities(np.array([[0.0], [-2000.0]]), np.array([[0.0, 1.0], [0.5, 0.5]]))
    np.testing.assert_allclose(mixed, [[-2000.0], [np.log(0.5)]])


def test_example_4_two_decoders_that_are_no_affine_copies_give_one_law():
    f = PiecewiseLine((-4.0, -2.0, 2.0), (0.2, 1.0, -1.0, 1.0), (0.8, 4.0, 0.0, -4.0))
    g = PiecewiseLine((-4.0, -2.0, 2.0, 4.0), (0.2, -1.0, 1.0, -1.0, 1.0), (0.8, -4.0, 0.0, 4.0, -4.0))
    at_breaks = np.array([-4.0, -2.0, 2.0])
    np.testing.assert_allclose(f(at_breaks - 1e-12), f(at_breaks + 1e-12), atol=1e-10)
    for noise in (0.3, 1e-3):
        laws = [density(X, line, [-2.0, 2.0], [0.5, 0.5], noise=noise) for line in (f, g)]
        np.testing.assert_allclose(*laws, rtol=1e-9, atol=1e-14)
    assert f.weakly_injective
    assert g.weakly_injective
    assert not any(g.before(sign, shift) == f for sign in (1, -1) for shift in np.linspace(-8, 8, 33))


def test_remark_3_6_an_absolute_value_hides_which_mixture_it_was():
    laws = [density(X, ABSOLUTE, means, [1 / 3] * 3) for means in ([-2, -1, 3], [-2, 1, 3])]
    np.testing.assert_allclose(*laws, rtol=1e-12)
    assert not ABSOLUTE.weakly_injective
    leaky = PiecewiseLine((0.0,), (-0.5, 1.0), (0.0, 0.0))
    laws = [density(X, leaky, means, [1 / 3] * 3) for means in ([-2, -1, 3], [-2, 1, 3])]
    assert np.abs(laws[0] - laws[1]).max() > 0.01
