"""How far an analysis is, and how long the rest will take."""

import pytest

from pdgmm.analysis.fitting.progress import Progress
from pdgmm.analysis.options import AnalysisOptions


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


def progress(clock, show=True, quick=True):
    return Progress(AnalysisOptions(quick=quick), show, clock)


def test_without_a_terminal_a_line_a_part_and_kept_ones_say_nothing_of_the_speed(clock, capsys):
    with progress(clock) as parts:
        parts.begin("number of latents", loaded=True)
        parts.begin("first fit")
        clock.now += 2
        parts.begin("checks")
        clock.now += 3
    said = capsys.readouterr()
    assert said.out == "", "programs read there"
    assert said.err.splitlines() == [
        "number of latents: kept from before",
        "first fit: done after 2 s, about 10 s left",
        "checks: done after 5 s, about 10 s left",
    ]


def test_nothing_is_said_where_nobody_asked(clock, capsys):
    with progress(clock, show=False) as parts:
        parts.begin("first fit")
    assert capsys.readouterr() == ("", "")


def test_the_time_left_is_not_guessed_before_the_first_flow(clock, capsys):
    with progress(clock, quick=False) as parts:
        parts.begin("number of latents")
        clock.now += 8
        parts.begin("first fit")
        clock.now += 24
    assert capsys.readouterr().err.splitlines() == [
        "number of latents: done after 8 s",
        "first fit: done after 32 s, about 2 min 16 s left",
    ]
