"""The page on speed says what was measured."""

import dataclasses

import measuring
import pytest
from render import csv_text, read_rows, render_markdown, save_plot
from speed_cases import FLOW, Case, stage1_products


def row(method, seconds, *, group="affine", n=10, mcc=0.96, extrapolated=0, note=""):
    return {
        "group": group,
        "method": method,
        "n": n,
        "samples": 100_000,
        "seconds": seconds,
        "yardsticks": seconds / 0.05,
        "mcc": mcc,
        "r2": 0.9,
        "memory_mb": 120.0,
        "peak_memory_mb": 470.0,
        "extrapolated": extrapolated,
        "note": note,
    }


ROWS = [
    row("fastica", 0.5, mcc=0.94),
    row("spike_slab", 2.0),
    row("lagrangian", 1_900.0, extrapolated=1, mcc="", note="extrapolated, 120 to 80,000 steps"),
    row("lagrangian", 90.0, mcc=0.7, note="reduced size"),
    row("autoencoder", 9_000.0, group="stage 1", extrapolated=1, mcc=""),
    row("autoencoder", 2_250.0, group="stage 1, bfloat16", extrapolated=1, mcc=""),
    row(FLOW, 50.0, group="growth with n"),
    row(FLOW, 310.0, group="growth with n", n=40),
    row(FLOW, 20.0, group="growth with samples"),
]


def test_the_page_has_every_measurement_and_comes_from_the_table(tmp_path):
    text = render_markdown(ROWS, 0.05, "benchmarks.svg")
    assert "| `lagrangian` | 10 | 100,000 | 90 | 1,800.0 | 0.7 | 0.9 | 120.0 | 470.0 | reduced size |" in text
    assert "](benchmarks.svg)" in text
    (tmp_path / "rows.csv").write_text(csv_text(list(ROWS[0]), [list(row.values()) for row in ROWS]))
    assert render_markdown(read_rows(tmp_path / "rows.csv"), 0.05, "benchmarks.svg") == text
    save_plot(ROWS, tmp_path / "plot.svg")
    assert (tmp_path / "plot.svg").stat().st_size > 0


def test_the_time_of_stage_1_is_compared_with_that_of_its_products():
    # 2,010,000 weights in each of both networks, 5,000 steps of 6,144: 109,770 products of 1500 x 1500 matrices.
    assert stage1_products(10) == pytest.approx(3 * 4_020_000 * 6_144 * 5_000 / 1500**3)
    text = render_markdown(ROWS, 0.05, "benchmarks.svg")
    assert "stage 1 takes 1.64 times as long as its matrix products" in text
    assert "in bfloat16 it takes 1/4.0 of its time" in text


CASE = Case("affine", "lagrangian", note="as in the default study", settings={"steps": 5_000})


@pytest.fixture
def fits(monkeypatch):
    """Made-up fits that take a second more than a thousandth of their steps."""
    asked = []

    def fitted(case, folder):
        asked.append(steps := case.settings["steps"])
        cost = {"seconds": steps / 1000 + 1, "mcc": 0.7, "r2": 0.9}
        return cost | {"memory_mb": 1.0, "peak_memory_mb": 2.0}

    monkeypatch.setattr(measuring, "_fitted", fitted)
    return asked


def test_a_fit_is_measured_once_with_its_score_and_its_note(fits, tmp_path):
    measured = measuring.measure(CASE, tmp_path, 0.05)
    assert fits == [5_000]
    assert (measured["mcc"], measured["seconds"], measured["yardsticks"]) == (0.7, 6.0, 120.0)
    assert measured["note"] == "as in the default study"


def test_an_extrapolated_time_leaves_out_what_every_fit_pays_once(fits, tmp_path):
    case = dataclasses.replace(CASE, measured_steps=(20, 120), scaled_to=80_000)
    measured = measuring.measure(case, tmp_path, 0.05)
    assert fits == [20, 120]
    assert measured["seconds"] == pytest.approx(81)
    assert (measured["extrapolated"], measured["mcc"]) == (1, "")


@pytest.mark.slow
def test_a_chain_is_fitted_and_scored_in_a_process_of_its_own(tmp_path):
    case = Case("x", "fastica+spike_slab", n=4, samples=1_000)
    cost = measuring._fitted_once(case, tmp_path)
    assert 0 < cost["mcc"] <= 1
    assert cost["seconds"] > 0
    assert cost["peak_memory_mb"] > cost["memory_mb"] >= 0
