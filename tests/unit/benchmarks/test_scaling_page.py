"""The page on scaling says what its figures mean."""

from dataclasses import replace

import pytest
from figures import Batching, Figures, Machine, Planned, StartUp
from growth import exponent
from page import (
    batching_sentence,
    growth_sentence,
    limit_kept,
    limit_sentence,
    remedy_sentence,
    render,
    torch_sentence,
)

MACHINE = Machine("Linux x86_64", 2, 0.1, 0.0321, "Python 3.11.9, snakemake 9.13")
SIZES = [
    Planned("100 runs", 260, 2.0, 110.0, 100, 1.5),
    Planned("1,000 runs", 2_500, 5.0, 160.0, 1_000, 1.7),
    Planned("10,000 runs", 25_000, 50.0, 640.0, 10_000, 3.0),
]
REMEDIES = [
    Planned("all at once", 2_600, 6.0, 160.0, 1_000),
    Planned("one experiment", 260, 2.5, 120.0),
    Planned("a tenth", 300, 2.6, 121.0),
]
STEPS = [
    StartUp("`score`", 0.51, 90.0, ("numpy", "scipy"), False),
    StartUp("`train-stage1 autoencoder`", 2.2, 330.0, ("numpy", "torch"), True),
]
# Of 50 s, 40 s are steps; five seeds at once take 32 s for them, ten take 20 s.
BATCHING = [
    Batching(5, 50.0, 4_000, {1: 0.010, 5: 0.009, 10: 0.008}),
    Batching(10, 50.0, 4_000, {1: 0.010, 5: 0.008, 10: 0.005}),
]
FIGURES = Figures(
    "make scaling",
    MACHINE,
    SIZES,
    [Planned("`config/cpu.yaml`", 1_234, 4.04, 150.0)],
    REMEDIES,
    STEPS,
    BATCHING,
)


def test_every_figure_is_on_the_page():
    page = render(FIGURES)
    assert (
        "Written by `make scaling` on one machine, in one run: Linux x86_64, 2 cores, Python 3.11.9" in page
    )
    assert "took 0.0321 s" in page
    assert "| 10,000 | 25,000 | 3.0 | 50.0 | 5.0 | 640 | 66 |" in page
    assert "| `config/cpu.yaml` | 1,234 | 4.0 | 150 |" in page
    assert "A study of 1,000 runs dealt to up to ten experiments" in page
    assert "| `score` | 0.51 | 90 | numpy, scipy |" in page
    assert "| `train-stage1 autoencoder` | 2.20 | 330 | numpy, torch |" in page
    assert "| 10 | 50 | 80 % | 10.00 | 8.00 | 5.00 | 1/1.19 | 1/1.67 |" in page
    assert "busy" not in page
    assert "{" not in page


def test_a_busy_machine_is_named():
    page = render(replace(FIGURES, machine=replace(MACHINE, load=2.04)))
    assert "**The machine was busy: 2.0 processes wanted a core" in page


def test_the_exponent_of_a_power_is_found():
    assert exponent([1, 10, 100], [3, 3 * 10**1.5, 3 * 10**3]) == pytest.approx(1.5)


def test_growth_is_judged_by_the_two_largest_sizes():
    sentence = growth_sentence(SIZES)
    assert (
        "From 1,000 to 10,000 runs the seconds of a dry run grow like runs^1.00, which is linear" in sentence
    )
    assert "A fit from 100 runs on gives runs^0.70" in sentence
    assert "100,000 runs would take 8.3 minutes to plan (not measured)" in sentence
    slower = [*SIZES[:2], replace(SIZES[2], dry_run=200.0)]
    assert "runs^1.60, which is more than linear" in growth_sentence(slower)
    assert "which is less than linear" in growth_sentence(SIZES[:2])
    assert "A fit" not in growth_sentence(SIZES[:2])
    assert growth_sentence(SIZES[:1]) == "One size alone says nothing about growth."


def test_the_remedy_that_saves_most_is_named():
    assert "Planned fastest: one experiment, 2.5 s against 6.0 s." in remedy_sentence(REMEDIES)
    assert "None of them" in remedy_sentence([REMEDIES[1], REMEDIES[0], REMEDIES[2]])


def test_torch_is_needless_only_where_it_is_not_needed():
    assert torch_sentence(STEPS) == "No step imports torch that does not need it."
    heavy = replace(STEPS[0], libraries=("numpy", "torch"))
    assert torch_sentence([heavy, STEPS[1]]) == "Imported torch without need: `score`."


def test_the_limit_of_the_papers_grid_is_kept_or_missed():
    paper = Planned("`config/paper.yaml`", 5_000, 29.94, 300.0)
    other = Planned("`config/cpu.yaml`", 9_000, 99.0, 300.0)
    assert "less than 30 s: kept, 29.9 s for 5,000 jobs." in limit_sentence([other, paper])
    assert limit_kept([other, paper])
    assert not limit_kept([other, replace(paper, dry_run=30.0)])
    assert "**missed**, 30.0 s" in limit_sentence([other, replace(paper, dry_run=30.0)])
    assert "was not planned" in limit_sentence([other])
    assert "was not planned" in render(FIGURES)


def test_batching_is_judged_by_what_a_whole_fit_could_gain_with_the_papers_seeds():
    assert BATCHING[1].gain(5) == pytest.approx(50 / 42)
    assert BATCHING[1].gain(1) == 1
    sentence = batching_sentence(BATCHING)
    assert (
        "With 5 seeds, as many as the paper has, a fit at the base setting (10 latents) would take"
        in sentence
    )
    assert "at best 1/1.19 of its time, whatever the stack were made of. At the base setting" in sentence
    assert "less than 1.3: batching seeds does not pay off" in sentence
    small = Batching(5, 50.0, 4_000, {1: 0.010, 5: 0.006, 10: 0.005})
    assert "of, and with 5 latents 1/1.47. At the base setting that is less" in batching_sentence(
        [small, *BATCHING]
    )
    good = [Batching(10, 50.0, 4_000, {1: 0.010, 5: 0.005, 10: 0.005})]
    assert "at best 1/1.67 of its time" in batching_sentence(good)
    assert "a stack may pay off" in batching_sentence(good)
