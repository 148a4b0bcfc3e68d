"""The table of cases, as Markdown."""

import os
import platform
from importlib.metadata import version

from case import Case

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


def document(cases: list[Case], command: str) -> str:
    """The whole page."""
    packages = ", ".join(f"{name} {version(name)}" for name in ("pdgmm", "snakemake", "torch", "h5py"))
    where = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    return f"{HEAD}\n{table(cases)}\nMeasured by `{command}` on {where}; {packages}.\n"


def _lost(case: Case) -> str:
    return "–" if case.data_lost is None else str(case.data_lost)


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())
