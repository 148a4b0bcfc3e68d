"""Cases kept beside the page, so that one of them can be measured anew without the others."""

import dataclasses
import json
from collections.abc import Iterable
from pathlib import Path

from case import Case, Measured

from pdgmm.store.atomic import write_json


def read_kept(file: Path) -> list[Measured]:
    """The cases of an earlier call; none if there is no such file."""
    if not file.exists():
        return []
    entries = json.loads(file.read_text(encoding="utf-8"))
    return [Measured(**(entry | {"case": Case(**entry["case"])})) for entry in entries]


def merged(kept: Iterable[Measured], new: Measured, order: list[str]) -> list[Measured]:
    """``kept`` with ``new`` in the row of its name, in the ``order`` of the suite; other names are dropped."""
    rows = {one.case.name: one for one in (*kept, new)}
    return [rows[name] for name in order if name in rows]


def write_kept(file: Path, cases: list[Measured]) -> None:
    """Keep the cases as JSON."""
    write_json(file, [dataclasses.asdict(one) for one in cases])
