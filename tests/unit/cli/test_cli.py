"""The command line: help everywhere, errors without tracebacks."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from pdgmm.cli.main import EXIT_INTERRUPTED, EXIT_OUT_OF_MEMORY, cli, main

ROOT = Path(__file__).parents[3]


def pdgmm(*arguments, **environment):
    return subprocess.run(
        [sys.executable, "-m", "pdgmm", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | environment,
        cwd=ROOT,
    )


def commands(group, *path):
    for name, command in group.commands.items():
        yield (*path, name)
        if isinstance(command, click.Group):
            yield from commands(command, *path, name)


@pytest.mark.parametrize("path", list(commands(cli)), ids=" ".join)
def test_every_help_has_an_example_that_the_command_understands(path):
    shown = CliRunner().invoke(cli, [*path, "--help"], terminal_width=200).output
    examples = example_calls(shown)
    assert examples
    for words in examples:
        assert words[0] == "pdgmm"
        # A group's example calls a command of the group, which stands after the group's own options.
        assert [word for word in words if word in path] == list(path)
        parse(cli, words[1:])


def example_calls(shown):
    """The calls under ``Example:``, as words; lines that end in a backslash go on, and ``> FILE`` is left out."""
    _, _, after = shown.partition("Example:")
    text = after.split("\n\n")[0].replace("\\\n", " ")
    return [shlex.split(line.split(" > ")[0]) for line in text.splitlines() if line.strip()]


def parse(command, words):
    """Check words against the options and arguments of a command and of those below it, running none."""
    context = command.make_context(command.name, list(words))
    if isinstance(command, click.Group):
        _, below, rest = command.resolve_command(context, [*context._protected_args, *context.args])
        parse(below, rest)


def test_plan_counts_for_programs_too():
    done = pdgmm("plan", "--config", "config/paper.yaml", "--json")
    counts = json.loads(done.stdout)
    assert counts["experiments"]["table1"]["datasets"] == 85
    assert counts["all"]["datasets"] <= sum(one["datasets"] for one in counts["experiments"].values())
    assert counts["jobs"]["score"] == counts["all"]["evaluations"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["plan", "--config", "bad.yaml"], "error: the config is not valid:"),
        (
            ["step", "train-stage1", "--method", "identity", "--dataset", "no.h5", "--seed", 0, "--out", "x"],
            "error: no.h5 ",
        ),
        (
            ["fit", "data.csv", "--out", "x", "--max-rows", 10**17],
            "error: 1 validation error for ReadOptions",
        ),
    ],
)
def test_what_is_wrong_is_one_message(tmp_path, monkeypatch, arguments, said):
    monkeypatch.setattr(sys.modules[__name__], "ROOT", tmp_path)
    (tmp_path / "bad.yaml").write_text("experiments: {}\n")
    done = pdgmm(*arguments)
    assert done.returncode == 1
    assert done.stderr.startswith(said)
    assert "Traceback" not in done.stderr


def test_the_steps_run_by_hand(tmp_path):
    settings = {"n": 4, "m": 2, "samples": {"train": 2000, "test": 100, "unmasked": 100, "independent": 100}}
    data, one, two = tmp_path / "d.h5", tmp_path / "identity", tmp_path / "identity+fastica"
    fit, on, scores = ["--dataset", data, "--seed", 0], ["--dataset", data, "--out"], two / "s.json"
    label = json.dumps({"method": "fastica", "size": ""})
    steps = [
        ["generate", "--generator", "pdgmm", "--settings", json.dumps(settings), "--seed", 0, "--out", data],
        ["train-stage1", "--method", "identity", *fit, "--out", one],
        ["encode", "--training", "--model", one, *on, one / "code.h5"],
        ["encode", "--model", one, *on, one / "latents.h5"],
        ["train-stage2", "--method", "fastica", *fit, "--code", one / "code.h5", "--out", two],
        ["encode", "--model", two, "--before", one / "latents.h5", *on, two / "latents.h5"],
        ["score", "--latents", two / "latents.h5", "--label", label, *on, scores],
        ["draw-heatmaps", "--out", tmp_path / "figure", scores],
    ]
    for step in steps:
        done = pdgmm("step", *step)
        assert done.returncode == 0, done.stderr
    assert json.loads(scores.read_text())["scores"]["test"]["mcc"] > 0.9
    assert (tmp_path / "figure.svg").stat().st_size > 1000


def test_threads_reach_the_numeric_libraries():
    probe = """
import contextlib
from pdgmm.cli.main import cli
with contextlib.suppress(BaseException):
    cli(["step", "--threads", "1", "generate"])
import torch
print(torch.get_num_threads())
"""
    unlimited = {key: value for key, value in os.environ.items() if not key.endswith("_NUM_THREADS")}
    done = subprocess.run(
        [sys.executable, "-c", probe], capture_output=True, text=True, check=True, env=unlimited
    )
    assert done.stdout.split() == ["1"]


@pytest.mark.parametrize(
    "error",
    [
        MemoryError("Unable to allocate 8 GiB"),
        RuntimeError("CUDA out of memory. Tried to allocate"),
        RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 8 bytes"),
    ],
)
def test_out_of_memory_is_one_message_that_says_what_to_do(error, monkeypatch, capsys):
    monkeypatch.setattr(cli, "main", _raiser(error))
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == EXIT_OUT_OF_MEMORY
    message = capsys.readouterr().err
    assert message.startswith("error: out of memory")
    assert "mem_mb" in message


@pytest.mark.parametrize(
    ("arguments", "code"), [(["--version"], 0), (["plan", "--help"], 0), (["plan", "--no"], 2), (["no"], 2)]
)
def test_click_still_ends_the_command(arguments, code, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["pdgmm", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == code
    assert ("Error: No such" in capsys.readouterr().err) == (code == 2)


def test_ctrl_c_is_one_line_and_the_code_that_shells_know(tmp_path):
    probe = """
import os, signal, sys
# Processes that a shell starts in the background ignore it, and so would this one.
signal.signal(signal.SIGINT, signal.default_int_handler)
from pdgmm.analysis.fitting import run_analysis as running
running.read = lambda *_: os.kill(os.getpid(), signal.SIGINT)
from pdgmm.cli.main import main
sys.argv = ["pdgmm", "fit", "data.csv", "--out", sys.argv[1]]
main()
"""
    done = subprocess.run(
        [sys.executable, "-c", probe, str(tmp_path / "study")], capture_output=True, text=True, check=False
    )
    assert done.returncode == EXIT_INTERRUPTED == 130
    assert done.stderr.strip() == "interrupted: finished work is kept; the same command continues"


def test_any_other_error_is_not_hidden(monkeypatch):
    monkeypatch.setattr(cli, "main", _raiser(RuntimeError("a mistake")))
    with pytest.raises(RuntimeError, match="a mistake"):
        main()


def _raiser(error):
    def raises(**_):
        raise error

    return raises
