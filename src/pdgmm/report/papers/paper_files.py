"""Papers as data: ``papers/<key>/paper.yaml`` says what its tables mean, ``published.csv`` holds their numbers.

``published.csv`` has one line per number: its table, the ``setting`` (``n=5 rho=50%``), the paper's method and
metric, mean and standard deviation over the paper's seeds (empty if the paper gives none), and a note. To add a
paper, add a folder.
"""

import csv
import functools
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from pydantic import Field, TypeAdapter, ValidationError

from pdgmm.errors import UserError
from pdgmm.settings import Settings

PAPERS = Path(__file__).parent
"""The papers that come with the package."""

COLUMNS = ("table", "setting", "method", "metric", "mean", "std", "note")
"""The columns of ``published.csv``."""


class PublishedMetric(Settings):
    """One of our numbers that the paper reports too; ``*`` in ``metric`` means any text."""

    split: str = Field(description="its place in our scores: a held-out split, `run`, or `graph_<name>`")
    metric: str = Field(description="its name there")
    published: str = Field(description="its name in published.csv")
    digits: int = Field(2, ge=0, description="decimals in which the paper gives it")
    number: str = Field("", description="the published setting that the text in the place of `*` is")
    only_beside: str = Field("", description="why the values are shown beside ours and not compared")


class Paper(Settings):
    """The content of ``paper.yaml``. Patterns name our chains: ``*autoencoder`` is any that ends like this."""

    citation: str
    seeds: int = Field(ge=1, description="runs behind a published mean and deviation")
    tables: dict[str, str] = Field(description="the tables by their number, in words")
    together: list[list[str]] = Field([], description="tables of one set of runs: naming one names all")
    base: dict[str, Any] = Field({}, description="the setting of which tables vary one value at a time")
    standard: dict[str, Any] = Field({}, description="what tables mean where they say nothing")
    same_as: dict[str, str] = Field({}, description="settings that equal another one unless a table says so")
    varied: list[str] = Field([], description="settings that single tables vary besides")
    shown: list[str] = Field([], description="of these, the ones that every row of our tables names")
    implied: list[str] = Field([], description="of these, the ones that a row of ours need not name")
    renamed: dict[str, str] = Field({}, description="settings of our methods in the words of the paper")
    added: dict[str, list[str]] = Field({}, description="sums of settings of ours: a setting and patterns")
    methods: dict[str, str] = Field(description="the published methods, in words")
    metrics: list[PublishedMetric]
    counterparts: dict[str, dict[str, str]] = Field(
        {}, description="chain: per metric, the published method that reports it"
    )
    rivals: dict[str, dict[str, str]] = Field(
        {}, description="chains that are told what another published method is told, likewise"
    )
    best: dict[str, str] = Field({}, description="per metric, the method that all others are held against")

    @property
    def compared(self) -> tuple[str, ...]:
        """The settings that are compared: a published value belongs to our setting if all of them agree."""
        return (*self.base, *self.standard, *self.same_as, *self.varied)


class PublishedLine(NamedTuple):
    """A line of ``published.csv``; ``std`` is None if the paper gives none."""

    table: str
    setting: dict[str, str]
    method: str
    metric: str
    mean: float
    std: float | None


@functools.cache
def read_paper(key: str, folder: Path = PAPERS) -> tuple[Paper, tuple[PublishedLine, ...]]:
    """The paper in ``<folder>/<key>`` and its numbers; errors name the file, the line and the value."""
    known = sorted(path.parent.name for path in folder.glob("*/paper.yaml"))
    if key not in known:
        raise UserError(f"there is no paper {key!r} in {folder}, only: {', '.join(known)}")
    paper = _read_yaml(folder / key / "paper.yaml")
    return paper, tuple(_read_lines(folder / key / "published.csv", paper))


def _read_yaml(path: Path) -> Paper:
    try:
        text = path.read_text(encoding="utf-8")
        paper = Paper.model_validate(yaml.safe_load(text))
    except (yaml.YAMLError, ValueError) as error:
        if not isinstance(error, ValidationError):
            raise UserError(f"{path}: {error}") from error
        first = error.errors()[0]
        where = f"{path}, line {_line(yaml.compose(text), first['loc'])}"
        value = "" if first["type"] == "missing" else f", not {first['input']!r}"
        raise UserError(f"{where}: {'.'.join(map(str, first['loc']))}: {first['msg']}{value}") from error
    named = {
        method
        for part in (*paper.counterparts.values(), *paper.rivals.values(), paper.best)
        for method in part.values()
    }
    if unknown := sorted(named - paper.methods.keys()):
        line = next(i for i, text_line in enumerate(text.splitlines(), 1) if unknown[0] in text_line)
        raise UserError(f"{path}, line {line}: {unknown[0]!r} is not one of the paper's `methods`")
    return paper


def _line(node: yaml.Node | None, loc: tuple[int | str, ...]) -> int:
    """The line number of ``loc``, or of the deepest part of it that the file contains."""
    for key in loc:
        if isinstance(node, yaml.MappingNode):
            found = [value for name, value in node.value if name.value == key]
        else:
            found = node.value[key : key + 1] if isinstance(node, yaml.SequenceNode) else []
        if not found:
            break
        node = found[0]
    return node.start_mark.line + 1 if node else 1


def _read_lines(path: Path, paper: Paper) -> list[PublishedLine]:
    try:
        reader = csv.DictReader(path.read_text(encoding="utf-8").splitlines(), strict=True)
        lines = [(reader.line_num, line) for line in reader]
    except (OSError, ValueError, csv.Error) as error:
        raise UserError(f"{path}: {error}") from error
    if tuple(reader.fieldnames or ()) != COLUMNS:
        raise UserError(
            f"{path}, line 1: the columns are {reader.fieldnames}, but must be {', '.join(COLUMNS)}"
        )
    return [_checked(line, paper, f"{path}, line {number}") for number, line in lines]


def _checked(line: dict[str, str], paper: Paper, where: str) -> PublishedLine:
    setting = dict(part.partition("=")[::2] for part in line["setting"].split())
    for word, value, known in (
        ("table", line["table"], paper.tables),
        ("method", line["method"], paper.methods),
        *(("setting", key, paper.compared) for key in setting),
    ):
        if value not in known:
            raise UserError(f"{where}: the {word} {value!r} is not in paper.yaml; it has {', '.join(known)}")
    try:
        mean = _NUMBER.validate_python(line["mean"])
        std = _NUMBER.validate_python(line["std"]) if line["std"] else None
    except ValidationError as error:
        raise UserError(f"{where}: {error.errors()[0]['input']!r} is not a number") from error
    return PublishedLine(line["table"], setting, line["method"], line["metric"], mean, std)


_NUMBER = TypeAdapter(float)
