"""The line of progress of a run, and the plugin that writes it."""

import io
import logging
import types

import pytest
from snakemake_interface_logger_plugins.common import LogEvent

from pdgmm.workflow_support.run_progress import Progress, step_words
from snakemake_logger_plugin_pdgmm import LogHandler


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


def run(progress, clock, job, rule, seconds):
    progress.start(job, rule, rule)
    clock.now += seconds
    progress.finish(job)


def test_the_time_left_is_that_of_the_steps_to_come_by_their_rules(clock):
    progress = Progress(clock)
    progress.plan({"train": 3, "score": 2, "total": 5})
    assert progress.line() == "0 of 5 steps, 0 s passed"
    run(progress, clock, 1, "train", 100)
    run(progress, clock, 2, "score", 2)
    assert progress.seconds_left() == pytest.approx(2 * 100 + 2)
    progress.start(3, "train", "train flow")
    clock.now += 40
    # Of the running step sixty seconds are left; less than one step at once is taken as one.
    assert progress.seconds_left() == pytest.approx(60 + 100 + 2)
    assert progress.line() == "2 of 5 steps, 2 min passed, about 3 min left: train flow"


def test_steps_that_run_side_by_side_shorten_the_time_left(clock):
    progress = Progress(clock)
    progress.plan({"train": 6, "total": 6})
    for job in (1, 2):
        progress.start(job, "train", "train")
    clock.now += 10
    for job in (1, 2):
        progress.finish(job)
    assert progress.seconds_left() == pytest.approx(4 * 10 / 2)


def test_the_last_steps_of_a_rule_say_how_long_the_next_ones_take(clock):
    progress = Progress(clock)
    progress.plan({"train": 5, "total": 5})
    for job, seconds in enumerate((200, 60, 40)):
        run(progress, clock, job, "train", seconds)
    assert progress.seconds_left() == pytest.approx(2 * 50)


def test_long_fits_that_run_first_do_not_stand_for_rules_that_have_not_run(clock):
    progress = Progress(clock)
    progress.plan({"generate": 2, "train": 4, "encode": 4, "score": 4, "total": 14})
    run(progress, clock, 1, "generate", 4)
    assert progress.seconds_left() is None, "one of fourteen steps says nothing yet"
    run(progress, clock, 2, "generate", 4)
    for job in (3, 4):
        run(progress, clock, job, "train", 60)
    run(progress, clock, 5, "encode", 2)
    # Generating takes 4 seconds, a fit 60, encoding 2: the scores, which nobody has seen, the median of these.
    assert progress.seconds_left() == pytest.approx(2 * 60 + 3 * 2 + 4 * 4)


def test_a_failed_step_is_counted_apart(clock):
    progress = Progress(clock)
    progress.plan({"train": 2, "total": 2})
    progress.start(1, "train", "train a")
    progress.fail(1)
    run(progress, clock, 2, "train", 5)
    assert progress.line() == "1 of 2 steps, 5 s passed, about 0 s left, 1 failed"


@pytest.mark.parametrize(
    ("rule", "wildcards", "words"),
    [
        (
            "train_stage1",
            {"dataset": "pdgmm_n5-12ab", "seed": "1", "part": "flow"},
            "train_stage1 flow, pdgmm_n5, seed 1",
        ),
        ("tabulate", {"experiment": "table1"}, "tabulate, table1"),
        ("all", {}, "all"),
    ],
)
def test_a_step_in_words(rule, wildcards, words):
    assert step_words(rule, wildcards) == words


@pytest.fixture
def written(monkeypatch):
    """What the plugin writes for these records, in a terminal or not."""

    def text(terminal, *records):
        stream = io.StringIO()
        stream.isatty = lambda: terminal
        monkeypatch.setattr("sys.stderr", stream)
        handler = LogHandler(types.SimpleNamespace(stdout=False, dryrun=False), None)
        for level, message, extra in records:
            handler.handle(logging.makeLogRecord({"levelno": level, "msg": message, **extra}))
        return stream.getvalue()

    return text


STEPS = [
    (logging.INFO, None, {"event": LogEvent.RUN_INFO, "stats": {"score": 1, "total": 1}}),
    (
        logging.INFO,
        None,
        {"event": LogEvent.JOB_INFO, "jobid": 7, "rule_name": "score", "wildcards": {"seed": "3"}},
    ),
    (logging.INFO, "a hundred lines", {}),
    (logging.ERROR, "what went wrong", {}),
    (logging.INFO, None, {"event": LogEvent.JOB_FINISHED, "job_id": 7}),
]


def test_a_terminal_has_one_line_that_is_renewed_and_errors_above_it(written):
    text = written(True, *STEPS)
    assert text.startswith("\r\x1b[K0 of 1 steps, 0 s passed: score, seed 3\r\x1b[Kwhat went wrong\n")
    assert text.endswith("\r\x1b[K1 of 1 steps, 0 s passed\n")
    assert "hundred" not in text


def test_a_file_has_few_lines_the_last_one_included(written):
    assert written(False, *STEPS) == "what went wrong\n1 of 1 steps, 0 s passed\n"
