import numpy as np
import pytest

from pdgmm.theory.likelihood_toy import (
    LikelihoodToy,
    Mixture,
    Model,
    Search,
    reduced_mixture,
    simplex,
)
from pdgmm.theory.piecewise_line import PiecewiseLine

TOY = LikelihoodToy(components=2, means=[-1.0, 0.0, 2.0], weight_parts=2, truths=40, seed=100)


@pytest.fixture(scope="module")
def search():
    return Search(TOY)


def test_every_density_integrates_to_one(search):
    totals = np.exp(search.log_densities).sum(axis=2) * (search.x[1] - search.x[0])
    np.testing.assert_allclose(totals, 1, atol=1e-9)


def test_parameters_that_mean_the_same_are_one_model(search):
    assert search.parameters == 3**6 * 3**2 * 3
    assert len(search.mixtures) == len(set(search.mixtures)) == 3 + 3
    assert reduced_mixture((1.0, 1.0, 0.0), (1, 2, 0)) == Mixture((1.0,), (3,))
    assert sorted(simplex(3, 2)) == [(0, 0, 2), (0, 1, 1), (0, 2, 0), (1, 0, 1), (1, 1, 0), (2, 0, 0)]


def test_the_truth_is_a_minimiser_and_for_weakly_injective_decoders_the_only_one(search):
    kinds = set()
    for parameters in search.draw():
        found = search.found(parameters.model)
        assert found.own <= found.lowest + 1e-12
        kinds.add(parameters.model.kind)
        if parameters.model.kind == "weakly injective":
            assert not found.inequivalent
        if parameters.model.kind == "constant":
            assert found.inequivalent
    assert {"weakly injective", "constant"} <= kinds


def test_an_absolute_value_has_minimisers_of_another_kind():
    absolute = PiecewiseLine((0.0,), (-1.0, 1.0), (0.0, 0.0))
    wide = Search(TOY.model_copy(update={"means": [-1.0, 1.0, 2.0]}))
    found = wide.found(Model(absolute, Mixture((-1.0, 2.0), (1, 1))))
    assert found.truth.kind == "not weakly injective"
    assert Model(absolute, Mixture((1.0, 2.0), (1, 1))) in found.inequivalent


@pytest.mark.parametrize(("sign", "shift"), [(1, 3.0), (-1, -2.0)])
def test_equivalence_is_an_affine_map_of_z(sign, shift):
    model = Model(PiecewiseLine.two_relus((1, -1), (1, 2), (0, 1)), Mixture((-1.0, 0.5), (3, 1)))
    # If z' = sign z + shift then z = sign (z' - shift).
    copy = Model(model.line.before(sign, -sign * shift), model.mixture.moved(sign, shift))
    assert model.equivalent(copy)
    assert copy.equivalent(model)
    assert not model.equivalent(Model(copy.line, model.mixture))
    assert not model.equivalent(Model(copy.line, Mixture(copy.mixture.means, copy.mixture.parts[::-1])))


def test_the_curve_is_lowest_at_the_truth(search):
    truth = next(one for one in search.draw() if one.model.kind == "weakly injective" and one.weights[0] > 0)
    values = np.array([truth.means[0] - 0.5, truth.means[0], truth.means[0] + 0.5])
    curve = search.curve(truth, "mu_1", values)
    assert curve.argmin() == 1
    assert curve[1] == pytest.approx(search.found(truth.model).own, abs=1e-12)
