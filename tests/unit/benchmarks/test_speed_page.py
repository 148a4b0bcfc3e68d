"""The page on speed says which promises were kept."""

import dataclasses
import subprocess
import sys
from pathlib import Path

import measuring
import pytest
from render import render_markdown, save_plot
from speed_cases import CASES, Case
from targets import outcomes


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
    row("identity+fastica", 0.5, mcc=0.94),
    row("identity+spike_slab", 2.0),
    row("identity+lagrangian", 1_900.0, extrapolated=1, mcc="", note="extrapolated, 120 to 80,000 steps"),
    row("identity+lagrangian", 90.0, mcc=0.7, note="reduced size"),
    row("autoencoder+none", 9_000.0, group="stage 1", extrapolated=1, mcc=""),
    row("flow+spike_slab", 50.0, group="growth with n"),
    row("flow+spike_slab", 310.0, group="growth with n", n=40),
    row("flow+spike_slab", 20.0, group="growth with samples"),
]


def kept(rows):
    return [one.kept for one in outcomes(rows)]


def test_promises_are_held_against_the_measurements():
    assert [one.measured for one in outcomes(ROWS)] == [
        "4.0 times; MCC 0.960 and 0.940",
        "1/950",
        "50 s, 1,000 yardsticks",
        "310 s, 6,200 yardsticks",
    ]
    assert kept(ROWS) == [True, False, True, False]


@pytest.mark.parametrize("change", [{"seconds": 2.6}, {"mcc": 0.93}])
def test_slower_or_worse_than_promised_is_missed(change):
    assert kept([ROWS[0], ROWS[1] | change]) == [False]


def test_nothing_is_promised_of_what_was_not_measured():
    assert kept(ROWS[:1]) == []


def test_the_page_has_every_measurement_the_memory_and_the_plot(tmp_path):
    text = render_markdown(ROWS, 0.05, "benchmarks.svg")
    assert "| 1/950 | missed |" in text
    assert "1/180 of the paper's stage 1" in text
    assert (
        "| `identity+lagrangian` | 10 | 100,000 | 90 | 1,800.0 | 0.7 | 0.9 | 120.0 | 470.0 | reduced size |"
        in text
    )
    assert "](benchmarks.svg)" in text
    save_plot(ROWS, tmp_path / "plot.svg")
    assert (tmp_path / "plot.svg").stat().st_size > 0


@pytest.fixture
def fits(monkeypatch):
    """A made-up fit whose MCC grows with its steps; the list has the steps of each."""
    asked = []

    def fitted(case, folder):
        asked.append(case.settings2["steps"])
        seconds = {"seconds_stage1": 0.0, "seconds_stage2": asked[-1] / 1000 + 1}
        return seconds | {"mcc": asked[-1] / 1e5, "r2": 0.9, "memory_mb": 1.0, "peak_memory_mb": 2.0}

    monkeypatch.setattr(measuring, "_fitted", fitted)
    return asked


CASE = Case("affine", "identity", "lagrangian", doubled_steps=(5_000, 40_000))


@pytest.mark.parametrize(
    ("aim", "steps", "words"),
    [
        (0.15, [5_000, 10_000, 20_000], "20,000 steps reach"),
        (0.9, [5_000, 10_000, 20_000, 40_000], "none reaches"),
    ],
)
def test_steps_are_doubled_until_the_mcc_is_reached(fits, tmp_path, aim, steps, words):
    before = [row("identity+spike_slab", 2.0, n=20, mcc=0.0), row("identity+spike_slab", 2.0, mcc=aim)]
    measured = measuring.measure(CASE, tmp_path, before, 0.05)
    assert fits == steps
    assert words in measured["note"]
    assert measured["mcc"] == pytest.approx(steps[-1] / 1e5)


def test_where_no_length_reaches_it_the_best_one_is_shown(monkeypatch, tmp_path):
    scores = {5_000: 0.6, 10_000: 0.7, 20_000: 0.65, 40_000: 0.5}

    def fitted(case, folder):
        steps = case.settings2["steps"]
        cost = {"seconds_stage1": 0.0, "seconds_stage2": steps / 1000, "mcc": scores[steps], "r2": 0.9}
        return cost | {"memory_mb": 1.0, "peak_memory_mb": 2.0}

    monkeypatch.setattr(measuring, "_fitted", fitted)
    measured = measuring.measure(CASE, tmp_path, [row("identity+spike_slab", 2.0, mcc=0.9)], 0.05)
    assert (measured["mcc"], measured["seconds"]) == (0.7, 10.0)
    assert "10,000 steps, the best of 5,000, 10,000, 20,000, 40,000" in measured["note"]


def test_displays_are_opened_by_the_driver_that_shows_nothing(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "offscreen")
    code = "import images, os; print(os.environ['SDL_VIDEODRIVER'])"
    folder = Path(measuring.__file__).parent
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, check=True, capture_output=True, text=True
    )
    assert done.stdout.splitlines()[-1] == "dummy"


def test_an_extrapolated_time_leaves_out_what_every_fit_pays_once(fits, tmp_path):
    case = dataclasses.replace(CASE, doubled_steps=None, measured_steps=(20, 120), scaled_to=80_000)
    measured = measuring.measure(case, tmp_path, [], 0.05)
    assert fits == [20, 120]
    assert measured["seconds"] == pytest.approx(81)
    assert (measured["extrapolated"], measured["mcc"]) == (1, "")


def test_what_is_compared_with_spike_slab_is_measured_after_it():
    doubled = next(i for i, case in enumerate(CASES) if case.doubled_steps)
    assert any(
        case.method == "identity+spike_slab" and case.n == CASES[doubled].n for case in CASES[:doubled]
    )


def test_of_short_fits_the_fastest_counts_and_long_ones_are_not_repeated(monkeypatch, tmp_path):
    def costs_of(*seconds):
        left = iter(seconds)
        monkeypatch.setattr(
            measuring, "_fitted_once", lambda *_: {"seconds_stage1": next(left), "seconds_stage2": 0.5}
        )
        return measuring._fitted(CASE, tmp_path)["seconds_stage1"], list(left)

    assert costs_of(2.0, 1.5, 3.0, 1.0, 2.0, 0.1) == (1.0, [0.1])
    assert costs_of(20.0, 1.0) == (20.0, [1.0])


def test_a_section_needs_the_rest_of_the_page(tmp_path):
    run = Path(measuring.__file__).with_name("run.py")
    done = subprocess.run(
        [sys.executable, run, "--section", "images"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "needs a finished results/benchmarks.md" in done.stderr
