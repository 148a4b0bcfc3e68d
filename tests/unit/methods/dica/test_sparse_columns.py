"""The linear map under which Jacobians have the most diverse rows."""

import numpy as np
import pytest
import torch

from pdgmm.evaluation.mcc import mcc
from pdgmm.methods.dica import sparse_columns as module
from pdgmm.methods.dica.diverse_flow import diverse_loss
from pdgmm.methods.dica.sparse_columns import criterion_values, sparse_columns

RNG = np.random.default_rng(0)


def sparse_rows(m, d):
    return RNG.normal(size=(m, d)) * (RNG.random((m, d)) < 0.4) + 1e-9 * RNG.normal(size=(m, d))


def found(jacobians, criterion, **options):
    return sparse_columns(jacobians, criterion, **{"starts": 10, "sweeps": 150, "seed": 0} | options)


def overlap(one, other):
    """1 if the columns of two matrices agree up to order, sign and scale."""
    return mcc(one, other).mcc


@pytest.mark.parametrize("criterion", ["l1", "row_l1", "l2"])
def test_the_criterion_is_that_of_the_flow(criterion):
    jacobians, linear = RNG.normal(size=(6, 9, 3)), RNG.normal(size=(3, 3))
    change = torch.from_numpy(np.linalg.inv(linear)).expand(6, 3, 3)
    loss = diverse_loss(torch.from_numpy(jacobians), change, criterion).mean()
    value = criterion_values(jacobians, linear[None], criterion)[0]
    assert value == pytest.approx(float(loss))
    scaled = linear * [2.0, -0.1, 5.0] if criterion != "row_l1" else -3 * linear
    assert criterion_values(jacobians, scaled[None], criterion)[0] == pytest.approx(value)


def test_sparse_columns_are_found_at_one_point_and_at_many():
    rows, mixing = sparse_rows(60, 4), RNG.normal(size=(4, 4))
    for jacobians in (rows[None], rows * RNG.uniform(0.3, 1.7, size=(5, 1, 4))):
        maps, values = found(jacobians @ mixing, "l1")
        assert overlap(rows, (rows @ mixing) @ maps[0]) > 0.9999
        assert (np.diff(values) >= 0).all()
        truth = criterion_values(jacobians @ mixing, np.linalg.inv(mixing)[None], "l1")[0]
        assert values[0] <= truth + 1e-4


def test_rows_on_the_facets_of_the_ball_are_found_by_their_largest_norm():
    rows = RNG.dirichlet(np.ones(3), size=100) * RNG.choice([-1, 1], size=(100, 3))
    loadings = rows @ RNG.normal(size=(3, 3))
    maps, _ = found(loadings[None], "row_l1", sweeps=300)
    assert overlap(rows, loadings @ maps[0]) > 0.998
    sums = np.abs(loadings @ maps[0]).sum(axis=1)
    assert np.median(sums) / sums.max() > 0.97, "the rows lie on the ball again"
    by_sums, _ = found(loadings[None], "l1")
    assert overlap(rows, loadings @ by_sums[0]) < overlap(rows, loadings @ maps[0])


def test_columns_become_orthogonal_by_the_l2_norm():
    jacobians = RNG.normal(size=(1, 20, 3))
    maps, values = found(jacobians, "l2", sweeps=300)
    columns = jacobians[0] @ maps[0]
    gram = columns.T @ columns
    scale = np.sqrt(np.diag(gram))
    np.testing.assert_allclose(gram / np.outer(scale, scale), np.eye(3), atol=1e-5)
    # Hadamard: half the log determinant of the Gram matrix is the bound.
    assert values[0] == pytest.approx(np.linalg.slogdet(jacobians[0].T @ jacobians[0])[1] / 2)


@pytest.mark.parametrize("criterion", ["l1", "l2"])
def test_no_sweep_makes_the_criterion_worse(criterion, monkeypatch):
    monkeypatch.setattr(module, "SMOOTHING", (1e-9, 1e-9))
    jacobians = RNG.normal(size=(4, 30, 3))
    values = [found(jacobians, criterion, starts=1, sweeps=sweeps)[1][0] for sweeps in range(1, 15)]
    assert (np.diff(values) <= 1e-9).all()
    assert values[-1] < values[0]
