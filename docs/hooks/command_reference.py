"""The help of every ``pdgmm`` command and of ``make``, asked of the programs themselves when the site is built."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import click
from mkdocs.config.defaults import MkDocsConfig

COMMANDS_MARK = "<!-- help: pdgmm -->"
TARGETS_MARK = "<!-- help: make -->"

LINE_LENGTH = 80


def on_page_markdown(markdown: str, config: MkDocsConfig, **event: object) -> str:
    """Put the help where a page has one of the marks."""
    if COMMANDS_MARK in markdown:
        from pdgmm.cli.main import cli

        markdown = markdown.replace(COMMANDS_MARK, "\n\n".join(_sections(cli, "pdgmm", None)))
    if TARGETS_MARK in markdown:
        markdown = markdown.replace(TARGETS_MARK, _block(_make_help(Path(config.config_file_path).parent)))
    return markdown


def _sections(command: click.Command, name: str, parent: click.Context | None) -> Iterator[str]:
    """A heading and the help of a command, then those of the commands below it."""
    width = {"terminal_width": LINE_LENGTH, "max_content_width": LINE_LENGTH}
    context = click.Context(command, parent, info_name=name, **width, **command.context_settings)
    level = min(context.command_path.count(" ") + 2, 4)
    yield f"{'#' * level} {context.command_path}\n\n{_block(command.get_help(context))}"
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            yield from _sections(command.get_command(context, below), below, context)


def _make_help(root: Path) -> str:
    command = ["make", "--no-print-directory", "--directory", str(root), "help"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def _block(text: str) -> str:
    return f"```text\n{text.strip(chr(10))}\n```"
