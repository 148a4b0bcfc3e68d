"""What each kind of failure gave: counted, kept as JSON, and written as a page."""

import dataclasses
import json
import os
import platform
import subprocess
from importlib.metadata import version
from pathlib import Path

from workflow_project import ROOT

from pdgmm.store.atomic import write_json

HEAD = """\
# Reliability

Written by `make chaos`, which causes each failure below on the machine it runs on and counts the outcomes.
*Tried* says how often. A *failure* is a time at which the project neither finished with the results of an undisturbed
run nor refused with a message that names what is wrong. *Data lost* counts files under their final names with content
that no undisturbed run gives; a dash where a case stores no results.
"""


@dataclasses.dataclass(frozen=True)
class Case:
    """How often a failure was caused (``tried``), how often the project did not cope with it, and what got lost.

    ``data_lost`` counts files with their final name and other content than an undisturbed run gives them; ``None``
    where the case does not touch files. ``note`` says what was left out, and why. On the page a case also has the
    command that gave it, the machine and versions it was given on, and the day (UTC).
    """

    name: str
    tried: int
    failures: int
    data_lost: int | None
    seconds: float
    note: str = ""
    command: str = ""
    machine: str = ""
    day: str = ""


def read_kept(file: Path) -> list[Case]:
    """The cases of an earlier call; none if there is no such file."""
    return [Case(**entry) for entry in json.loads(file.read_text())] if file.exists() else []


def write_kept(file: Path, cases: list[Case]) -> None:
    """Keep the cases as JSON."""
    write_json(file, [dataclasses.asdict(case) for case in cases])


def table(cases: list[Case]) -> str:
    """A row a case and the sum."""
    tried, failures = sum(c.tried for c in cases), sum(c.failures for c in cases)
    lost, seconds = sum(c.data_lost or 0 for c in cases), sum(c.seconds for c in cases)
    lines = ["| failure | tried | failures | data lost | seconds | note |", "|---|---|---|---|---|---|"]
    for case in [*cases, Case("**all**", tried, failures, lost, seconds)]:
        shown = "–" if case.data_lost is None else case.data_lost
        lines.append(
            f"| {case.name} | {case.tried:,} | {case.failures} | {shown} | {case.seconds:.0f} | {_cell(case.note)} |"
        )
    return "\n".join(lines) + "\n"


def document(cases: list[Case]) -> str:
    """The whole page: the table, and by which command on which machine its rows were measured."""
    measured: dict[str, list[str]] = {}
    for case in cases:
        how = f"{case.day}, `{case.command}` on {case.machine}"
        measured.setdefault(how, []).append(case.name)
    lines = [f"- {how}: {_cell('; '.join(names))}.\n" for how, names in measured.items()]
    return f"{HEAD}\n{table(cases)}\nMeasured by\n\n{''.join(lines)}"


def this_machine() -> str:
    """The machine and the versions that count."""
    packages = ", ".join(f"{name} {version(name)}" for name in ("pdgmm", "snakemake", "torch", "h5py"))
    where = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.strip()
    return f"{where}; {packages}{commit and f'; commit {commit}'}"


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())
