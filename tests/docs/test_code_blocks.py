"""What the documents tell people to type works: Python runs, configs are valid, commands and options exist."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import numpy as np
import pytest
import yaml
from markdown_files import ROOT, blocks, markdown_files, name

import pdgmm
from pdgmm.cli.main import cli
from pdgmm.data.masked_scm import MaskedScm
from pdgmm.estimator import PDGMM
from pdgmm.study.planning import plan_study

SHELL = ("", "bash", "sh", "console")
"""Languages of blocks with commands; most have none, which GitHub shows without colours."""

INLINE = re.compile(r"(?<!`)`((?:make|pdgmm) [^`\n]+)`(?!`)")
TARGET = re.compile(r"^([a-z-]+):.*## ", re.MULTILINE)
MAKE_TARGETS = TARGET.findall((ROOT / "Makefile").read_text())


class BriefPDGMM(PDGMM):
    """As documents call it, with as little training as a fit can have."""

    def fit(self, X, y=None):
        self.starts, self.steps = 1, 2
        return super().fit(X, y)


def files_with(language: str) -> list[Path]:
    return [
        path
        for path in markdown_files()
        if any(block.language == language for block in blocks(path.read_text()))
    ]


@pytest.mark.parametrize("path", files_with("python"), ids=name)
def test_python_runs(path, monkeypatch, capsys):
    # One block goes on where the one before it ended, as a reader does.
    monkeypatch.setattr(pdgmm, "PDGMM", BriefPDGMM)
    monkeypatch.chdir(ROOT)
    world = MaskedScm(n=10).build(0)
    samples = world.sample("train", 600, np.random.default_rng(0))["x"]
    names = {"__name__": "document", "X": samples[:300], "X_new": samples[300:]}
    for block in blocks(path.read_text()):
        # A block that begins with its path is a file of the project: tests/workflow/test_added_method.py.
        if block.language == "python" and block.reason is None and not block.text.startswith("# src/"):
            # Blank lines before it: the traceback of a failure then has the line of the document.
            exec(compile("\n" * block.line + block.text, str(path), "exec"), names)


def configs() -> list:
    return [
        pytest.param(block.text, id=f"{name(path)}:{block.line}")
        for path in markdown_files()
        for block in blocks(path.read_text())
        if block.language == "yaml"
        and re.search(r"^experiments:", block.text, re.MULTILINE)
        and not block.reason
    ]


@pytest.mark.parametrize("text", configs())
def test_configs_are_valid(text):
    assert plan_study(yaml.safe_load(text)).runs()


def commands(text: str) -> Iterator[list[str]]:
    """The words of every command in the shell blocks and the inline code of a Markdown text."""
    lines = [line for block in blocks(text) if block.language in SHELL for line in block.text.splitlines()]
    for line in lines + INLINE.findall(text):
        for command in re.split(r"&&|\||;", re.sub(r"(^|\s)#.*", "", line)):
            words = shlex.split(command)
            while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
                words.pop(0)
            if words and words[0] in ("make", "pdgmm"):
                yield words


def unknown_words(words: list[str]) -> list[str]:
    """The targets, commands and options of a command that do not exist."""
    program, *rest = words
    if program == "make":
        return [
            word for word in rest if "=" not in word and not word.startswith("-") and word not in MAKE_TARGETS
        ]
    return list(_unknown_to_pdgmm(rest))


def _unknown_to_pdgmm(words: list[str]) -> Iterator[str]:
    command: click.Command = cli
    waiting = iter(words)
    for word in waiting:
        if word.startswith("-"):
            flag, _, value = word.partition("=")
            with click.Context(command) as context:
                options = {text: option for option in command.get_params(context) for text in option.opts}
            if flag not in options:
                yield word
            elif not value and not getattr(options[flag], "is_flag", False):
                next(waiting, None)
        elif isinstance(command, click.Group):
            if word not in command.commands:
                yield word
                return
            command = command.commands[word]


@pytest.mark.parametrize("path", markdown_files(), ids=name)
def test_commands_exist(path):
    unknown = {" ".join(words): unknown_words(words) for words in commands(path.read_text())}
    assert {command: words for command, words in unknown.items() if words} == {}


@pytest.mark.parametrize(
    ("line", "unknown"),
    [
        ("CORES=2 make run BENCH=quick", []),
        ("make coffee", ["coffee"]),
        ("pdgmm plan --cofnig my.yaml", ["--cofnig"]),
        ("pdgmm step --threads 1 draw-supports --out here", []),
        ("pdgmm step draw-coffee --out here", ["draw-coffee"]),
        ("cd somewhere && pdgmm brew  # not this one: make tea", ["brew"]),
    ],
)
def test_unknown_words_are_found(line, unknown):
    found = list(commands(f"text\n\n```\n{line}\n```\n"))
    assert [word for words in found for word in unknown_words(words)] == unknown
    assert found
