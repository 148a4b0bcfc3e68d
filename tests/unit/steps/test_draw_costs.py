import pandas as pd
import pytest

from pdgmm.errors import UserError
from pdgmm.steps.draw_costs import draw_costs

PUBLISHED = "published: stage 2, on another machine"
TABLE = pd.DataFrame(
    {
        "setting_n": n,
        "method": method,
        "split": "run",
        "metric": metric,
        "mean": factor * n,
        "reduced": None,
        "published_mean": {5: 33.5, 10: 404.0}.get(n) if metric == "last_part_seconds" else None,
        "published_method": "stage 2",
    }
    for n in (10, 5, 100)
    for method, both in (("spike_slab", 1), ("autoencoder+lagrangian", 3))
    for metric, factor in (("last_part_seconds", 1), ("seconds", both))
)


def lines(axis):
    return {line.get_label(): line.get_xydata().tolist() for line in axis.get_lines()}


def test_a_line_a_method_in_the_order_of_the_latents_and_the_published_one():
    last, both = draw_costs("Cost", TABLE).axes
    assert lines(last)["autoencoder+lagrangian"] == [[5, 5], [10, 10], [100, 100]]
    assert lines(last)[PUBLISHED] == [[5, 33.5], [10, 404]]
    assert lines(both)["autoencoder+lagrangian"] == [[5, 15], [10, 30], [100, 300]]
    assert PUBLISHED not in lines(both)
    assert last.get_xscale() == last.get_yscale() == "log"


def test_a_method_at_reduced_size_says_so():
    small = TABLE["method"] == "autoencoder+lagrangian"
    table = TABLE.assign(reduced=TABLE["reduced"].mask(small, "lagrangian: steps 3 of 80,000"))
    assert "autoencoder+lagrangian, at reduced size" in lines(draw_costs("Cost", table).axes[0])


def test_a_table_without_times_is_named():
    with pytest.raises(UserError, match="cost: true"):
        draw_costs("Cost", TABLE.assign(split="test"))
