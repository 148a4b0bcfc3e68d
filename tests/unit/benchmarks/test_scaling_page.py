"""The page on scaling says what its figures mean."""

import pytest
from page import (
    Figures,
    Machine,
    exponent,
    growth_sentence,
    render,
)
from planning import Planned
from scheduling import Scheduled
from start_up import OUR_ADAM, TORCHS_ADAM, StartUp

MACHINE = Machine("Linux x86_64", 2, 0.1, 0.0321, "Python 3.11.9, snakemake 9.13")
SIZES = [
    Planned("100 runs", 260, 2.0, 110.0, 100, 1.5),
    Planned("1,000 runs", 2_500, 5.0, 160.0, 1_000, 1.7),
    Planned("10,000 runs", 25_000, 50.0, 640.0, 10_000, 3.0),
]
STEPS = [
    StartUp(OUR_ADAM, 2.4, 220.0),
    StartUp(TORCHS_ADAM, 4.8, 300.0),
    StartUp("`score`", 0.51, 90.0, ("numpy", "scipy")),
    StartUp("`train-stage1 autoencoder`", 2.2, 330.0, ("numpy", "torch"), True),
]
STUDIES = [Scheduled("`config/config.yaml`", 200, 1_000.0, 10.0, 980.0, 880.0)]
FIGURES = Figures(
    "make scaling",
    MACHINE,
    SIZES,
    [Planned("`config/cpu.yaml`", 1_234, 4.04, 150.0)],
    [Planned("all at once", 2_600, 6.0, 160.0, 1_000), Planned("a tenth", 300, 2.6, 121.0)],
    STUDIES,
    STEPS,
)


@pytest.mark.parametrize(
    "words",
    [
        "Written by `make scaling` on one machine, in one run: Linux x86_64, 2 cores, Python 3.11.9",
        "took 0.0321 s",
        "| 10,000 | 25,000 | 3.0 | 50.0 | 5.0 | 640 | 66 |",
        "| `config/cpu.yaml` | 1,234 | 4.0 | 150 |",
        "| a tenth | 300 | 2.6 | 121 |",
        "| `config/config.yaml` | 200 | 1,000.0 | 880.0 | 100.0 | 10.0 | 10.0 |",
        "| `score` | 0.51 | 90 | numpy, scipy |",
        f"| {OUR_ADAM} | 2.40 | 220 | – |",
    ],
)
def test_every_figure_is_on_the_page(words):
    page = render(FIGURES)
    assert words in page
    assert "busy" not in page
    assert "{" not in page


def test_growth_is_told_by_the_two_largest_sizes():
    assert exponent([1, 10, 100], [3, 3 * 10**1.5, 3 * 10**3]) == pytest.approx(1.5)
    sentence = growth_sentence(SIZES)
    assert "From 1,000 to 10,000 runs the seconds of a dry run grow like runs^1.00" in sentence
    assert "100,000 runs would take 8.3 minutes" in sentence
    assert "nothing about growth" in growth_sentence(SIZES[:1])
