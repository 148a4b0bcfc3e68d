import numpy as np
import pytest

from pdgmm.theory.piecewise_line import PiecewiseLine

Z = np.linspace(-5, 5, 101)


@pytest.mark.parametrize("seed", range(20))
def test_two_relus_are_what_they_say(seed):
    rng = np.random.default_rng(seed)
    alpha, beta, bias = rng.integers(-2, 3, size=(3, 2)).astype(float)
    line = PiecewiseLine.two_relus(tuple(alpha), tuple(beta), tuple(bias))
    expected = (alpha * np.maximum(beta * Z[:, None] + bias, 0)).sum(axis=1)
    np.testing.assert_allclose(line(Z), expected, atol=1e-9)
    moved = line.before(-1, 0.7)
    np.testing.assert_allclose(moved(Z), line(-Z + 0.7), atol=1e-8)
    assert moved.before(-1, 0.7) == line


def test_one_form_for_each_function():
    line = PiecewiseLine.two_relus((1, -1), (1, -1), (0, 0))
    assert line == PiecewiseLine((), (1.0,), (0.0,))
    assert PiecewiseLine.two_relus((0, 0), (1, -1), (1, 0)).constant


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (PiecewiseLine((), (1.0,), (0.0,)), True),
        (PiecewiseLine((), (0.0,), (3.0,)), False),
        (PiecewiseLine((0.0,), (-1.0, 1.0), (0.0, 0.0)), False),
        (PiecewiseLine((0.0,), (0.0, 1.0), (0.0, 0.0)), True),
        # Down, up and down again: three preimages inside, one outside.
        (PiecewiseLine((-1.0, 1.0), (-1.0, 1.0, -1.0), (0.0, 2.0, 4.0)), True),
        # A hat: each value below its top is taken twice.
        (PiecewiseLine((0.0,), (2.0, -1.0), (0.0, 0.0)), False),
    ],
)
def test_weakly_injective_is_counted_by_preimages(line, expected):
    assert line.weakly_injective == expected
    # By brute force: a value that the function crosses once.
    z = np.linspace(-50, 50, 200_001)
    above = line(z)[:, None] > np.linspace(-20, 20, 401) + 0.0123
    assert ((above[1:] != above[:-1]).sum(axis=0) == 1).any() == expected
