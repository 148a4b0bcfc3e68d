"""The benchmark of Jacobians compares ways that find the same derivatives, and its table holds every measurement."""

import jacobians
import pytest
import torch
from jacobians import Cost

from pdgmm.fitting.networks import leaky_mlp

COSTS = [
    Cost(3, 5, "exact", 0.5, 1.0, 1e-7),
    Cost(3, 5, "reverse", 1.0, 3.0, 0.0),
    Cost(3, 5, "differences", 0.25, 0.5, 0.1),
    Cost(10, 100, "exact", 2.0, 4.0, 1e-7),
    Cost(10, 100, "reverse", 16.0, 40.0, 0.0),
    Cost(10, 100, "differences", 3.0, 6.0, 0.2),
]


def test_every_way_finds_the_same_jacobian_away_from_kinks():
    torch.manual_seed(1)
    network, z = leaky_mlp([4, 16, 16, 7], 0.2), torch.randn(50, 4)
    found = {way: function(z) for way, function in jacobians.jacobians(network).items()}
    assert found.keys() == jacobians.WAYS.keys()
    assert found["exact"].shape == (50, 7, 4)
    torch.testing.assert_close(found["exact"], found["reverse"], rtol=1e-5, atol=1e-6)
    near = (found["differences"] - found["reverse"]).abs() < 1e-3 * found["reverse"].abs().max()
    assert near.float().mean() > 0.5


def test_a_measurement_has_a_row_for_every_way_and_ours_is_exact(monkeypatch):
    monkeypatch.setattr(jacobians, "CALLS", 1)
    monkeypatch.setattr(jacobians, "REPEATS", 1)
    rows = jacobians.measured(3, 5)
    assert [row.way for row in rows] == list(jacobians.WAYS)
    assert all(row.jacobian_ms > 0 and row.gradient_ms > 0 for row in rows)
    errors = {row.way: row.error for row in rows}
    assert errors["reverse"] == 0
    assert errors["exact"] == pytest.approx(0, abs=1e-6)
    assert errors["differences"] > errors["exact"]


def test_the_table_shows_multiples_of_our_time():
    text = jacobians.section(COSTS)
    table = [line for line in text.splitlines() if line.startswith("| ")]
    assert len(table) == 1 + len(COSTS)
    assert "| 10 | 100 | `vmap(jacrev)` | 8.0 | 10.0 | 0.0e+00 |" in table
    assert "| 3 | 5 | central differences | 0.5 | 0.5 | 1.0e-01 |" in table
    assert "10.0 times as much in reverse mode and 1.5 times as much with central differences" in text
