"""The cost of planning: Snakemake's own commands on studies of several sizes."""

import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import yaml
from timed_process import ROOT, timed

METHODS = ("identity", "fastica", "autoencoder", "autoencoder+lagrangian", "autoencoder+fastica")
SEEDS = 5
TABLES = 10
CONFIGS = ("config/cpu.yaml", "config/paper.yaml")
TARGETS = ("all", "balls")
"""The targets for everything in a config: experiments on images have their own target."""

REMEDIES = (
    ("all at once", ()),
    ("one experiment: `snakemake only_<experiment>`", ("only_table_0",)),
    ("a tenth of the files: `--batch all=1/10`", ("--batch", "all=1/10")),
    ("frozen code: `--config track_code=false`", ("--config", "track_code=false")),
)


@dataclass(frozen=True)
class Planned:
    """Planning a study: seconds to read the workflow and of the whole dry run, and the dry run's peak of memory."""

    what: str
    jobs: int
    dry_run: float
    memory_mb: float
    runs: int | None = None
    read: float | None = None


def study(runs: int, tables: int = 1) -> dict:
    """A config with this number of runs: five methods, five seeds, and enough datasets, divided among tables."""
    datasets = max(1, runs // (SEEDS * len(METHODS)))
    # Any setting that takes many values will do.
    sizes = [1000 + number for number in range(datasets)]
    return {
        "datasets": {"pdgmm": {}},
        "experiments": {
            f"table_{number}": {
                "title": "Scaling",
                "dataset": "pdgmm",
                "grid": {"samples.train": sizes[number::tables]},
                "methods": list(METHODS),
                "seeds": list(range(SEEDS)),
            }
            for number in range(min(tables, datasets))
        },
    }


def snakemake(folder: Path, config: Path, *arguments: str) -> list[str]:
    """The command that works on the study of ``config`` in ``folder``."""
    # Targets come first: options that take several values would swallow them.
    there = ["--directory", str(folder), "--configfile", str(config)]
    return [sys.executable, "-m", "snakemake", *arguments, *there]


def dry_run(what: str, folder: Path, config: Path, *arguments: str) -> Planned:
    """What a dry run takes, and how many jobs it finds."""
    done = timed(snakemake(folder, config, *arguments, "-n", "--quiet", "rules"))
    jobs = int(re.search(r"^total +(\d+)$", done.output, re.M)[1])
    return Planned(what, jobs, done.seconds, done.memory_mb)


@contextmanager
def folder_with(config: dict) -> Iterator[tuple[Path, Path]]:
    """A folder for a study, and the config file in it."""
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "study.yaml"
        file.write_text(yaml.safe_dump(config))
        yield Path(name), file


def measure_size(runs: int) -> Planned:
    """Reading the workflow (``--list-rules``) and the whole dry run of a study with this number of runs."""
    with folder_with(study(runs)) as (folder, config):
        read = timed(snakemake(folder, config, "--list-rules")).seconds
        whole = dry_run(f"{runs:,} runs", folder, config)
    return replace(whole, runs=runs, read=read)


def measure_config(file: str) -> Planned:
    """The dry run of one of the project's own studies with its images, and nothing finished yet."""
    with tempfile.TemporaryDirectory() as name:
        return dry_run(f"`{file}`", Path(name), ROOT / file, *TARGETS)


def measure_remedies(runs: int) -> list[Planned]:
    """The dry run of a study of several tables: all of it, and in ways that plan less."""
    with folder_with(study(runs, TABLES)) as (folder, config):
        planned = [dry_run(what, folder, config, *arguments) for what, arguments in REMEDIES]
    return [replace(one, runs=runs) for one in planned]
