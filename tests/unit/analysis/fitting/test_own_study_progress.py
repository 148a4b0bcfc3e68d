"""How far a study is, and how long the rest will take."""

import io
import re

import pytest

from pdgmm.analysis.fitting.analysis_options import StudyOptions
from pdgmm.analysis.fitting.progress import Progress
from pdgmm.analysis.fitting.time_left import TimeLeft


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    ours = Clock()
    monkeypatch.setattr(TimeLeft.__init__, "__defaults__", (ours,))
    return ours


def test_the_rest_takes_as_long_as_what_was_done():
    clock = Clock()
    time = TimeLeft(10, clock)
    assert time.seconds is None
    clock.now += 30
    time.done(3)
    assert time.seconds == pytest.approx(70)


def test_parts_that_were_loaded_do_not_make_the_rest_look_quick():
    clock = Clock()
    time = TimeLeft(10, clock)
    time.done(6, loaded=True)
    assert time.seconds is None, "nothing is known of the speed"
    clock.now += 20
    time.done(1)
    assert time.seconds == pytest.approx(60), "three parts of 20 s"


def test_without_a_terminal_a_line_a_part(clock, capsys):
    with Progress(StudyOptions(quick=True), show=True) as progress:
        progress.begin("number of latents", loaded=True)
        progress.begin("first fit")
        clock.now += 2
        progress.begin("checks")
        clock.now += 3
    said = capsys.readouterr()
    assert said.out == "", "programs read there"
    assert said.err.splitlines() == [
        "number of latents: kept from before",
        "first fit: done after 2 s, about 12 s left",
        "checks: done after 5 s, about 12 s left",
    ]


def test_with_a_terminal_a_bar(clock, monkeypatch):
    screen = io.StringIO()
    screen.isatty = lambda: True
    monkeypatch.setattr("sys.stderr", screen)
    with Progress(StudyOptions(quick=True), show=True) as progress:
        progress.begin("number of latents")
        clock.now += 2
        progress.begin("first fit")
    assert re.search(r"number of latents: +0%", screen.getvalue())
    assert re.search(r"so far, about 14 s left", screen.getvalue())


def test_nothing_is_said_where_nobody_asked(capsys):
    with Progress(StudyOptions(quick=True), show=False) as progress:
        progress.begin("first fit")
    assert capsys.readouterr() == ("", "")
