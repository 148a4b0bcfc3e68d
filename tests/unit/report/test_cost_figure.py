import pytest

from pdgmm.errors import UserError
from pdgmm.report.seed_summaries import results_frame
from pdgmm.steps.draw_costs import draw_costs


@pytest.fixture
def table(record):
    runs = [
        record(
            method=method,
            setting={"n": n},
            metrics={"run": {"last_part_seconds": n, "seconds": factor * n}},
            published_table="pdgmm/5",
        )
        for n in (10, 5, 100)
        for method, factor in (("spike_slab", 1.0), ("autoencoder+lagrangian", 3.0))
    ]
    return results_frame(runs)


PUBLISHED = "published: stage 2, on another machine"


def lines(axis):
    return {line.get_label(): line.get_xydata().tolist() for line in axis.get_lines()}


def test_a_line_a_method_in_the_order_of_the_latents_and_the_published_one(table):
    last, both = draw_costs("Cost", table).axes
    assert lines(last)["autoencoder+lagrangian"] == [[5, 5], [10, 10], [100, 100]]
    assert lines(last)[PUBLISHED] == [[5, 33.5], [10, pytest.approx(404)]]
    assert lines(both)["autoencoder+lagrangian"] == [[5, 15], [10, 30], [100, 300]]
    assert PUBLISHED not in lines(both)
    assert last.get_xscale() == last.get_yscale() == "log"


def test_a_method_at_reduced_size_says_so(table):
    table.loc[table["method"] == "autoencoder+lagrangian", "reduced"] = "lagrangian: steps 3 of 80,000"
    assert "autoencoder+lagrangian, at reduced size" in lines(draw_costs("Cost", table).axes[0])


def test_a_table_without_times_is_named(record):
    with pytest.raises(UserError, match="cost: true"):
        draw_costs("Cost", results_frame([record()]))
