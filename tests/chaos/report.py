"""The table of cases, as Markdown."""

import os
import platform
import subprocess
from importlib.metadata import version

from case import Case, Measured
from workflow_project import ROOT

HEAD = """\
# Reliability

Written by `make chaos`, which causes each failure below on the machine it runs on and counts what comes of it.
*Tried* says how often. A *failure* is a time at which the project did not do what it promises: finish with the
results of an undisturbed run, or refuse with a message that names what is wrong. *Data lost* counts files under their
final names with content that no undisturbed run gives; a dash where a case stores no results.
"""


def table(cases: list[Case]) -> str:
    """A row a case and the sum."""
    rows = [
        [c.name, f"{c.tried:,}", str(c.failures), _lost(c), f"{c.seconds:.0f}", _cell(c.note)] for c in cases
    ]
    tried, failures = sum(c.tried for c in cases), sum(c.failures for c in cases)
    lost, seconds = sum(c.data_lost or 0 for c in cases), sum(c.seconds for c in cases)
    rows.append(["**all**", f"{tried:,}", str(failures), str(lost), f"{seconds:.0f}", ""])
    lines = ["| failure | tried | failures | data lost | seconds | note |", "|---|---|---|---|---|---|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def document(measured: list[Measured]) -> str:
    """The whole page: the table, and by which command on which machine its rows were measured."""
    groups: dict[tuple[str, str, str], list[str]] = {}
    for one in measured:
        groups.setdefault((one.day, one.command, one.machine), []).append(one.case.name)
    lines = [
        f"- {day}, `{command}` on {machine}: {_cell('; '.join(names))}."
        for (day, command, machine), names in groups.items()
    ]
    return f"{HEAD}\n{table([one.case for one in measured])}\nMeasured by\n\n" + "\n".join(lines) + "\n"


def this_machine() -> str:
    """The machine and the versions that count."""
    packages = ", ".join(f"{name} {version(name)}" for name in ("pdgmm", "snakemake", "torch", "h5py"))
    where = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    return f"{where}; {packages}{_commit()}"


def _commit() -> str:
    """Which code was measured; empty outside a Git repository. Changes of documents do not count."""
    code = ("Snakefile", "workflow", "src", "tests", "profiles", "config")
    commands = (["rev-parse", "--short", "HEAD"], ["status", "--porcelain", "--", *code])
    try:
        commit, changes = (
            subprocess.run(["git", *command], cwd=ROOT, capture_output=True, text=True, check=True).stdout
            for command in commands
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    return f"; commit {commit.strip()}{' with changes' if changes else ''}"


def _lost(case: Case) -> str:
    return "–" if case.data_lost is None else str(case.data_lost)


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())
