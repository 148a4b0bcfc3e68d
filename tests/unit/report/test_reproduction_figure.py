import pandas as pd
import pytest

from pdgmm.report.reproduction_figure import draw_reproduction, panels


def row(experiment="first", setting="base", method="flow+spike_slab", **changes):
    return {
        "experiment": experiment,
        "setting": setting,
        "method": method,
        "role": "ours",
        "split": "test",
        "metric": "mcc",
        "published_mean": 0.9,
        "published_std": 0.02,
        "mean": 0.99,
        "verdict": "better",
        **changes,
    }


@pytest.fixture
def compared():
    return pd.DataFrame(
        [
            row(),
            row(method="spike_slab", mean=0.8, verdict="worse"),
            row(setting="n = 5", published_std=None),
            row(metric="r2", mean=0.95),
            row(method="autoencoder+lagrangian", role="paper", mean=0.5),
            row("second", "n = 5", mean=float("nan")),
            row("time", split="run", metric="last_part_seconds", verdict=None),
            row("reduced features", mean=0.3, verdict=None),
            row("images", "balls = 2", metric="ball_1", mean=0.7, verdict="agrees"),
            row("images", "balls = 4", metric="ball_1"),
            row("images", "balls = 2", metric="ball_2", mean=0.6, verdict="agrees"),
        ]
    )


def points(axis):
    marked = [line for line in axis.get_lines() if line.get_marker() not in ("None", "")]
    return [(*line.get_xydata()[0], line.get_color()) for line in marked]


def test_an_experiment_has_a_panel_with_its_first_judged_measure(compared):
    first, images = panels(compared)
    assert (first.measure.metric, first.settings) == ("mcc", ["base", "n = 5"])
    assert images.settings == ["balls = 2, ball 1", "balls = 2, ball 2", "balls = 4, ball 1"]


def test_values_of_our_methods_stand_in_the_row_of_their_setting_and_the_colour_of_their_verdict(compared):
    axis, *_ = draw_reproduction(compared).axes
    flow, affine, other = points(axis)
    assert (flow[:2], affine[:2], other[:2]) == ((0.99, 0), (0.8, 0), (0.99, 1))
    assert flow[2] == other[2] != affine[2]
    assert [label.get_text() for label in axis.get_yticklabels()] == ["base", "n = 5"]


def test_the_published_mean_and_deviation_lie_behind(compared):
    axis, *_ = draw_reproduction(compared).axes
    known, unknown = axis.patches
    assert (known.get_x(), known.get_width()) == pytest.approx((0.88, 0.04))
    assert unknown.get_width() == 0


def test_nothing_of_ours_is_no_picture(compared):
    assert draw_reproduction(compared[compared["role"] == "paper"]) is None
