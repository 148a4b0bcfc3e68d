"""The commands for a user's own data: ``pdgmm fit``, ``pdgmm encode``, ``pdgmm report``."""

import functools
import json
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from pydantic import ValidationError

from pdgmm.analysis.options import AnalysisOptions, ReadOptions
from pdgmm.cli.step_commands import PATH, path_option
from pdgmm.errors import UserError
from pdgmm.workflow_support.environment import reuse_freed_memory

if TYPE_CHECKING:
    # Every step of the workflow imports this module, and building this schema takes a quarter of a second.
    from pdgmm.analysis.answers import Answers

Chosen = TypeVar("Chosen", ReadOptions, AnalysisOptions)

STUDY = click.argument("study", type=PATH)
FILE = click.argument("file", type=PATH)
AS_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")


def _read_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options on how a file is read, handed on as one ``reading``; None where none was given."""

    @click.option("--columns", help="Read only these columns, separated by commas.  [default: all]")
    @click.option("--drop-columns", help="Leave out these columns, separated by commas.")
    @click.option(
        "--index-column",
        help="Column with row labels: its name, or its number from 1.  [default: recognised]",
    )
    @click.option(
        "--missing",
        type=click.Choice(["error", "drop", "mean"]),
        help="Missing values: refuse the file, drop their rows, or fill in the column's mean.  [default: error]",
    )
    @click.option(
        "--header/--no-header",
        default=None,
        help="Whether the first line names the columns.  [default: recognised]",
    )
    @click.option("--array", help="Which array of an .npz or HDF5 file to read.")
    @functools.wraps(command)
    def with_options(**arguments: Any) -> None:
        names = ("columns", "drop_columns", "index_column", "missing", "header", "array", "max_rows")
        given = {name: value for name in names if (value := arguments.pop(name, None)) is not None}
        for name in ("columns", "drop_columns"):
            if name in given:
                given[name] = [part.strip() for part in given[name].split(",") if part.strip()]
        command(reading=_checked(ReadOptions, given) if given else None, **arguments)

    return with_options


@click.command()
@FILE
@path_option("--out", help="Folder for the results.")
@click.option(
    "--n-latents", type=click.IntRange(min=1), help="Number of latents.  [default: chosen by likelihood]"
)
@click.option("--quick", is_flag=True, help="Fit affine maps only: seconds to a minute or two.")
@click.option(
    "--fits",
    type=click.IntRange(min=5),
    default=5,
    show_default=True,
    help="Number of further fits, each to other rows, which show what comes out again.",
)
@click.option(
    "--steps",
    type=click.IntRange(min=1),
    help="Training steps of the flow, or of the --method.  [default: by the number of latents]",
)
@click.option(
    "--method", help="Fit this method of the catalogue, or a chain such as flow+spike_slab, instead of PDGMM."
)
@click.option(
    "--domain-column",
    help="Column that names the domain (site, batch, …) of each row; fits domain_flow unless --method says else.",
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of all random draws."
)
@AS_JSON
@_read_options
@click.option(
    "--max-rows",
    type=click.IntRange(min=2),
    help="If the file has more rows, draw this many at random.  [default: 1000000]",
)
def fit(file: Path, out: Path, reading: ReadOptions | None, as_json: bool, **options: Any) -> None:
    """Find hidden variables in a table or a folder of images.

    \b
    Says which of them can be trusted.
    Reads .csv .tsv .txt .parquet .npy .npz .h5 .h5ad, or a folder of images.
    Writes OUT/report.html, OUT/latents.csv, OUT/diagnostics.json and the fits.
    After an interruption, run the same command to continue.

    \b
    Example: pdgmm fit measurements.csv --out study/
             pdgmm fit measurements.csv --out study/ --quick
             pdgmm fit measurements.csv --out dica/ --method dica
             pdgmm fit measurements.csv --out sites/ --domain-column site
    """
    from pdgmm.analysis.fitting.run_analysis import run_analysis

    chosen = _checked(AnalysisOptions, options)
    reuse_freed_memory()
    with _quiet_trainings():
        answers = run_analysis(file, out, reading or ReadOptions(), chosen, show_progress=True)
    _show(out, answers, as_json)


@click.command()
@STUDY
@FILE
@path_option("--out", help="File to write: .csv or .npy.")
@AS_JSON
@_read_options
def encode(study: Path, file: Path, out: Path, reading: ReadOptions | None, as_json: bool) -> None:
    """Write the latents of every row of a file.

    Uses the fit in the folder STUDY, which `pdgmm fit` made. If no option says how to read FILE, it is read as the
    study's own file was.

    Example: pdgmm encode study/ new.csv --out latents.csv
    """
    from pdgmm.analysis.fitting.encoding import encode_file

    encoded = encode_file(study, file, out, reading)
    click.echo(json.dumps(asdict(encoded)) if as_json else encoded.in_words())


@click.command()
@STUDY
@AS_JSON
def report(study: Path, as_json: bool) -> None:
    """Rewrite STUDY/report.html and print the answers.

    Reads STUDY/diagnostics.json and fits nothing.

    Example: pdgmm report study/
    """
    from pdgmm.analysis.fitting.analysis_folder import AnalysisFolder

    _show(study, AnalysisFolder(study).answers(), as_json)


@contextmanager
def _quiet_trainings() -> Iterator[None]:
    """The steps of single trainings would bury the progress of the analysis."""
    log = logging.getLogger("pdgmm.fitting")
    before = log.level
    log.setLevel(logging.WARNING)
    try:
        yield
    finally:
        log.setLevel(before)


def _checked(kind: type[Chosen], given: dict[str, Any]) -> Chosen:
    """The options; what they refuse after click accepted it is an error without a traceback."""
    try:
        return kind(**given)
    except ValidationError as error:
        raise UserError(str(error)) from error


def _show(folder: Path, answers: "Answers", as_json: bool) -> None:
    """Write the page, and print the answers to people or to programs."""
    from pdgmm.analysis.page.analysis_page import write_page
    from pdgmm.analysis.page.verdicts import summary

    page = write_page(folder, answers)
    click.echo(answers.model_dump_json(by_alias=True) if as_json else f"{summary(answers)}\n\nOpen {page}")
