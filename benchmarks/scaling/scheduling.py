"""The time that Snakemake adds to a study: real runs on one core, and where their time went."""

import json
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from planning import folder_with, snakemake
from timed_process import ROOT, timed

DEFAULT, EXPERIMENT = "config/config.yaml", "table1"


@dataclass(frozen=True)
class Scheduled:
    """A run on one core: its jobs, and the seconds in all, before the first job, in jobs and in fits."""

    what: str
    jobs: int
    whole: float
    planning: float
    in_jobs: float
    in_fits: float

    @property
    def between_jobs(self) -> float:
        """Seconds in which Snakemake chose and recorded jobs."""
        return self.whole - self.planning - self.in_jobs


def small_study(datasets: int) -> dict:
    """A study of many tiny jobs: each dataset is drawn, fitted, encoded and scored."""
    return {
        "datasets": {"pdgmm": {"n": 4, "m": 3, "samples": {"train": 600, "test": 100}}},
        "experiments": {
            "small": {
                "dataset": "pdgmm",
                "methods": ["identity"],
                "seeds": list(range(datasets)),
                "heatmaps": False,
            }
        },
    }


def measure_small(datasets: int) -> Scheduled:
    """The study of small jobs."""
    with folder_with(small_study(datasets)) as (folder, config):
        return run(f"{datasets} datasets, fits that take no time", folder, config)


def measure_real() -> Scheduled:
    """An experiment of the default study, with its flows."""
    with tempfile.TemporaryDirectory() as name:
        what = f"the experiment `{EXPERIMENT}` of `{DEFAULT}`"
        return run(what, Path(name), ROOT / DEFAULT, f"only_{EXPERIMENT}")


def run(what: str, folder: Path, config: Path, *targets: str) -> Scheduled:
    """Run a study or some of its targets; Snakemake's records say when each job began and wrote its files."""
    began = time.time()
    done = timed(snakemake(folder, config, *targets, "--cores", "1", "--quiet", "all"))
    jobs: dict[str, list[float]] = {}
    for file in (folder / ".snakemake" / "metadata").rglob("*"):
        if file.is_file():
            record = json.loads(file.read_text())
            # A job has one record per file; its command tells jobs apart.
            jobs.setdefault(record["shellcmd"], []).extend([record["starttime"], record["endtime"]])
    fits = [json.loads(file.read_text())["notes"]["seconds"] for file in folder.rglob("model.json")]
    return Scheduled(
        what,
        len(jobs),
        done.seconds,
        min(map(min, jobs.values())) - began,
        sum(max(times) - min(times) for times in jobs.values()),
        sum(fits),
    )
