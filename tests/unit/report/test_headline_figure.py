"""The picture on the first page of a report."""

import pytest

from pdgmm.report.headline_figure import MOST_SETTINGS, draw_headline
from pdgmm.report.seed_summaries import results_frame
from pdgmm.report.table_columns import Record
from table_plans import BASE


def table(metric="mcc", settings=({}, {"n": 5}), methods=("fastica", "flow"), seeds=(0, 1)):
    """Every method and setting with all seeds; the second method scores higher."""
    return results_frame(
        [
            Record(
                experiment="table1",
                dataset=f"d{number}",
                setting={**BASE, **setting},
                method=method,
                role="baseline",
                seed=seed,
                metrics={"test": {metric: 0.8 + 0.1 * methods.index(method)}},
                published_table="pdgmm/3",
            )
            for number, setting in enumerate(settings)
            for method in methods
            for seed in seeds
        ]
    )


def lines(axis):
    """The horizontal places of every labelled line, by its label."""
    return {line.get_label(): list(line.get_xdata()) for line in axis.lines}


def test_every_method_has_a_mark_for_every_setting():
    (axis,) = draw_headline([table()]).axes
    assert lines(axis) == {"fastica": pytest.approx([0.8, 0.8]), "flow": pytest.approx([0.9, 0.9])}
    assert [label.get_text() for label in axis.get_yticklabels()] == ["n = 10", "n = 5"]
    assert "published" in [one.get_label() for one in axis.collections]


@pytest.mark.parametrize(
    ("seeds", "said"), [((0, 1, 2), "mean over 3 seeds"), ((0,), "MCC on held-out samples\n")]
)
def test_the_title_counts_the_seeds(seeds, said):
    (axis,) = draw_headline([table(seeds=seeds)]).axes
    assert said in axis.get_title(loc="left")


def test_the_first_experiment_with_an_mcc_is_shown():
    (axis,) = draw_headline([table(metric="r2"), table(settings=({"k": 3},))]).axes
    assert [label.get_text() for label in axis.get_yticklabels()] == ["k = 3"]


def test_without_an_mcc_it_says_so():
    figure = draw_headline([table(metric="r2")])
    assert not figure.axes
    assert "No experiment" in figure.texts[0].get_text()


def test_many_settings_are_cut():
    (axis,) = draw_headline([table(settings=[{"n": n} for n in range(11, 50)])]).axes
    assert len(axis.get_yticklabels()) == MOST_SETTINGS
