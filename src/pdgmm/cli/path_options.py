"""Options and arguments of commands that are paths."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

PATH = click.Path(path_type=Path)

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def path_option(option: str, help: str, *, required: bool = True, name: str | None = None) -> Decorator:
    """An option that is a path; ``name`` is that of the function's argument where it is another one."""
    return click.option(option, *filter(None, [name]), type=PATH, required=required, help=help)


def paths_argument(name: str) -> Decorator:
    """One or more paths at the end of a command."""
    return click.argument(name, nargs=-1, required=True, type=PATH)
