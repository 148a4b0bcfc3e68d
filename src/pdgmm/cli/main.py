"""The command ``pdgmm``: what people type. What the workflow's rules call is in :mod:`pdgmm.cli.step_commands`.

Imports are inside the commands: ``pdgmm --help`` must not wait for torch.
"""

import json
import logging
import re
import shlex
import sys
from pathlib import Path

import click

from pdgmm import __version__
from pdgmm.cli.own_data_commands import AS_JSON, encode, fit, report
from pdgmm.cli.step_commands import PATH, step
from pdgmm.errors import UserError

EXIT_USER_ERROR = 1
EXIT_OUT_OF_MEMORY = 3
EXIT_INTERRUPTED = 130
"""The exit code that shells expect after Ctrl-C."""

MORE_MEMORY = (
    "Nothing is lost: run the same command again with more memory (a smaller --cores runs fewer jobs at once; on a "
    "cluster use --set-resources RULE:mem_mb=N), or give the method a smaller batch_size"
)

CONFIG_FILES = click.option(
    "--config",
    "config_files",
    type=PATH,
    multiple=True,
    default=("config/config.yaml",),
    show_default=True,
    help="Config file; give it several times to merge files.",
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="pdgmm")
def cli() -> None:
    """Recover hidden variables from observations alone.

    \b
    Fit your own data:              pdgmm fit measurements.csv --out study/
    Begin a study in a new folder:  pdgmm new my-study/
    See what a study would run:     pdgmm plan --config config/config.yaml
    Run the default study:          snakemake --cores 2
    """


@cli.command()
@click.argument("folder", type=PATH)
def new(folder: Path) -> None:
    """Write a study of your own into a new folder.

    Writes a Snakefile, a config and profiles, to be edited. The workflow is that of the installed package.
    FOLDER is empty or does not exist yet.

    Example: pdgmm new my-study/
    """
    from pdgmm.workflow_support.new_study import write_new_study

    for path in write_new_study(folder):
        click.echo(path)
    click.echo(
        f"\nNext:\n"
        f"  cd {shlex.quote(str(folder))}\n"
        "  pdgmm plan                               # count what config/config.yaml means\n"
        "  snakemake --cores 2                      # run it: results/tables/, results/figures/\n"
        "  snakemake --report results/report.html   # one page with all of it"
    )


@cli.command()
@CONFIG_FILES
@AS_JSON
@click.option(
    "--times",
    type=PATH,
    help="Measured times, as `pdgmm reproduction` writes them.  [default: docs/reproduction/hours.csv, if there]",
)
def plan(config_files: tuple[Path, ...], as_json: bool, times: Path | None) -> None:
    """Count what a study would run, and estimate its hours.

    Example: pdgmm plan --config config/paper.yaml
    """
    from pdgmm.study.config import read_config
    from pdgmm.study.expected_hours import KEPT_TIMES, expected_hours, read_times
    from pdgmm.study.plan_summary import plan_counts, plan_summary
    from pdgmm.study.planning import plan_study

    study = plan_study(read_config(list(config_files)))
    if times is None and KEPT_TIMES.exists():
        times = KEPT_TIMES
    hours = expected_hours(study, read_times(times)) if times else None
    if as_json:
        counts = plan_counts(study)
        cost = {"hours": hours.hours, "unknown_fits": hours.unknown} if hours else {}
        click.echo(json.dumps(counts | cost))
    else:
        click.echo("\n".join([plan_summary(study), *([hours.words()] if hours else [])]))


@cli.command()
@CONFIG_FILES
@click.option("--results", type=PATH, default="results", show_default=True, help="Folder of the results.")
@click.option("--out", type=PATH, default="docs", show_default=True, help="Folder to write to.")
def reproduction(config_files: tuple[Path, ...], results: Path, out: Path) -> None:
    """Write published values beside measured ones.

    Writes reproduction.md, a figure and reproduction.csv.

    Example: pdgmm reproduction --config config/cpu.yaml --results results --out docs
    """
    from pdgmm.steps.reproduction import write_reproduction
    from pdgmm.study.config import read_config
    from pdgmm.study.planning import plan_study

    command = "pdgmm reproduction " + " ".join(f"--config {file}" for file in config_files)
    study = plan_study(read_config(list(config_files)))
    plans = [planned.table_plan() for planned in study.experiments.values()]
    for path in write_reproduction(plans, results, out, command):
        click.echo(path)


@cli.command()
@click.argument("table", type=PATH)
def headline(table: Path) -> None:
    """Print the scores of one experiment as a small table.

    Reads its CSV file; the table is at most 100 characters wide.

    Example: pdgmm headline results/tables/table1.csv
    """
    from pdgmm.steps.headline import headline as table_text

    click.echo(table_text(table))


@cli.command()
def schema() -> None:
    """Print the JSON schema of the config.

    Editors use it to complete and check YAML.

    Example: pdgmm schema > config.schema.json
    """
    from pdgmm.study.config_reference import config_schema

    click.echo(config_schema())


@cli.command("config-reference")
def config_reference() -> None:
    """Print what every config key means, as Markdown.

    Example: pdgmm config-reference > keys.md
    """
    from pdgmm.study.config_reference import config_reference

    click.echo(config_reference(), nl=False)


for command in (fit, encode, report, step):
    cli.add_command(command)


def main() -> None:
    """Run the command; an error that a user can fix is one line on stderr and exit code 1, never a traceback.

    Exit codes are in docs/commands.md.
    """
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s", stream=sys.stderr)
    # Its first figure on a machine reports a font cache.
    logging.getLogger("matplotlib").setLevel(logging.WARNING)
    try:
        # Not standalone: after Ctrl-C click would print "Aborted!" and end with 1, as after an error.
        sys.exit(cli.main(prog_name="pdgmm", standalone_mode=False) or 0)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except click.Abort:
        click.echo("interrupted: finished work is kept; the same command continues", err=True)
        sys.exit(EXIT_INTERRUPTED)
    except UserError as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(EXIT_USER_ERROR)
    except (MemoryError, RuntimeError) as error:
        # Torch has no error of its own for a CPU that is out of memory.
        if not isinstance(error, MemoryError) and not re.search(
            r"out of memory|can't allocate memory", str(error)
        ):
            raise
        click.echo(f"error: out of memory ({error}). {MORE_MEMORY}", err=True)
        sys.exit(EXIT_OUT_OF_MEMORY)
