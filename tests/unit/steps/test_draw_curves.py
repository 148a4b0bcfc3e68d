import math

import pandas as pd
import pytest

from pdgmm.errors import UserError
from pdgmm.report.figure_files import line_style
from pdgmm.report.seed_summaries import results_frame
from pdgmm.report.table_columns import Record
from pdgmm.steps.draw_curves import draw_curve_table, draw_curves

MCC, R2 = "within_domain_mcc", "invariant_r2"
PLACES = (3, 2, 8)


def record(method, domains, seed, scores, **changes):
    return Record("e", {"domains": domains}, method, seed, dataset=f"d{domains}", metrics=scores, **changes)


def frame(failed=(), **changes):
    """Two seeds of three methods; the score of one seed is 0.1 above the mean, that of the other 0.1 below."""
    means = {"pca": 0.2, "fastica": 0.4, "domain_flow": 0.6}
    return results_frame(
        record(
            method,
            domains,
            seed,
            {}
            if (method, domains) in failed
            else {
                "test": {
                    MCC: mean + domains / 100 + sign,
                    "within_domain_chance": domains / 10,
                    **({} if method == "pca" else {R2: mean}),
                },
                "other": {MCC: 0.0, "mcc": 0.5},
            },
            status="failed" if (method, domains) in failed else "ok",
            role="ours" if method == "domain_flow" else "baseline",
            **changes,
        )
        for domains in PLACES
        for method, mean in means.items()
        for seed, sign in ((0, 0.1), (1, -0.1))
    )


def lines(axis):
    return {line.get_label(): line for line in axis.get_lines()}


def points(axis, label):
    return lines(axis)[label].get_xydata().tolist()


def legend(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def test_a_line_a_method_in_the_order_of_the_numbers_with_its_band_and_chance():
    (axis,) = draw_curves("Sparse", frame(), "domains", [MCC]).axes
    assert points(axis, "fastica") == [pytest.approx([x, 0.4 + x / 100]) for x in (2, 3, 8)]
    assert points(axis, "chance") == [pytest.approx([x, x / 10]) for x in (2, 3, 8)]
    assert (lines(axis)["chance"].get_color(), lines(axis)["chance"].get_linestyle()) == ("black", "--")
    assert len(axis.collections) == 3
    heights = axis.collections[0].get_paths()[0].vertices[:, 1]
    assert heights.max() == pytest.approx(0.6 + 0.08 + 0.1 * math.sqrt(2)), "ours, one deviation up"
    assert (
        axis.get_ylabel().replace("\n", " ") == "MCC of the changing latents inside domains, held-out samples"
    )
    assert axis.get_xlabel() == "domains"


def test_our_own_methods_come_first_and_are_thick():
    figure = draw_curves("Sparse", frame(), "domains", [MCC])
    assert legend(figure) == ["chance", "domain_flow", "pca", "fastica"]
    assert "our own" in figure.legends[0].get_title().get_text()
    width = {label: line.get_linewidth() for label, line in lines(figure.axes[0]).items()}
    assert width["domain_flow"] > 2 * width["pca"] == 2 * width["fastica"]


def test_each_score_has_a_panel_and_a_method_the_same_look_in_all():
    figure = draw_curves("Sparse", frame(), "domains", [MCC, R2])
    left, right = map(lines, figure.axes)
    assert left.keys() - right.keys() == {"chance", "pca"}, "they have no such score"
    assert left["fastica"].get_color() == right["fastica"].get_color()
    assert len(figure.legends) == 1
    assert len(legend(figure)) == 4


def test_the_legend_covers_no_line():
    figure = draw_curves("Sparse", frame(), "domains", [MCC, R2])
    figure.draw_without_rendering()
    (legend,) = figure.legends
    assert all(legend.get_window_extent().y1 < axis.get_tightbbox().y0 for axis in figure.axes)


def test_a_line_has_a_gap_where_all_fits_failed():
    (axis,) = draw_curves("Sparse", frame(failed=[("fastica", 3)]), "domains", [MCC]).axes
    assert [x for x, y in points(axis, "fastica") if math.isnan(y)] == [3]
    everywhere = [("fastica", domains) for domains in PLACES]
    assert "fastica" not in legend(draw_curves("Sparse", frame(failed=everywhere), "domains", [MCC]))


def test_what_a_method_is_told_and_a_reduced_size_are_said():
    table = frame(told=("z",), reduced="steps 3 of 80,000")
    assert "pca, told z, at reduced size" in legend(draw_curves("Sparse", table, "domains", [MCC]))


def test_one_seed_has_no_band():
    table = frame().assign(std=math.nan, role="baseline")
    assert not draw_curves("Sparse", table, "domains", [MCC]).legends[0].get_title().get_text()


@pytest.mark.parametrize(
    ("places", "scale", "written"),
    [
        ((2, 3, 8), "linear", ["2", "3", "8"]),
        ((2, 2.01, 8), "linear", ["2", "8"]),
        ((100, 1000, 100000), "log", ["100", "1,000", "100,000"]),
        ((0, 1, 100000), "linear", ["0", "100,000"]),
    ],
)
def test_the_numbers_below_the_axis_can_be_read(places, scale, written):
    named = dict(zip(sorted(PLACES), places, strict=True))
    table = frame().assign(setting_domains=lambda one: one["setting_domains"].map(named))
    (axis,) = draw_curves("Sparse", table, "domains", [MCC]).axes
    assert axis.get_xscale() == scale
    assert [label.get_text() for label in axis.get_xticklabels()] == written
    assert not axis.get_xticks(minor=True).size


def test_sixteen_methods_look_different_in_grey_too():
    looks = [{**line_style(number), "color": ""} for number in range(16)]
    assert len({str(look) for look in looks}) == 16


def test_a_score_that_no_run_has_is_named_with_those_that_exist():
    table = pd.concat([frame(), frame().assign(split="run", metric="seconds")])
    for name in ("mc", "seconds"):
        with pytest.raises(UserError, match=f"Sparse: no run has the score '{name}'.*{MCC}, {R2}, mcc"):
            draw_curves("Sparse", table, "domains", [MCC, name])


def test_a_table_that_was_written_gives_two_files(tmp_path):
    frame().to_csv(tmp_path / "t.csv", index=False)
    draw_curve_table(tmp_path / "t.csv", "Sparse", "domains", (MCC, R2), tmp_path / "curves")
    assert {path.name for path in tmp_path.glob("curves.*")} == {"curves.svg", "curves.png"}
