"""Cause every failure that the project copes with, and count: ``python tests/chaos/run.py``.

After every case its row of docs/reliability.md is written, with what earlier calls measured beside it
(docs/reliability.json). With ``--quick`` the table is only printed, unless ``--out`` names a page.
"""

import argparse
import shlex
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path

from checks import CHECKS, run_check
from counts import Case, document, read_kept, table, this_machine, write_kept
from kills import VICTIMS, kill_at_random, run_undisturbed
from soak import STUDIES, soak, soak_name
from workflow_project import ROOT

from pdgmm.store.atomic import write_text

SOAK = "soak"
NAMES = [*VICTIMS, *CHECKS, SOAK]
ROWS = [*VICTIMS, *CHECKS, *map(soak_name, STUDIES)]
"""The rows of the page, in their order."""

PAGE = ROOT / "docs" / "reliability.md"


def options(arguments: list[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--only", action="append", choices=NAMES, metavar="CASE", help=f"one of: {', '.join(NAMES)}"
    )
    parser.add_argument(
        "--quick", action="store_true", help="2 kills, 100 random files, 5 rounds of a tiny study"
    )
    parser.add_argument("--kills", type=int, default=20, help="moments of each kind of kill (20)")
    parser.add_argument("--examples", type=int, default=1000, help="random files of each kind (1000)")
    parser.add_argument("--rounds", type=int, default=20, help="rounds of the soak (20)")
    parser.add_argument("--out", type=Path, help="page for the counts (docs/reliability.md, unless --quick)")
    chosen = parser.parse_args(arguments)
    chosen.soak = "tiny" if chosen.quick else "default"
    if chosen.quick:
        chosen.kills, chosen.examples, chosen.rounds = 2, 100, 5
    elif chosen.out is None:
        chosen.out = PAGE
    return chosen


def cases(chosen: argparse.Namespace, folder: Path, say: Callable[[str], None]) -> Iterator[Case]:
    """Every case asked for, one after the other; one that breaks is a failed case, and the others are still tried."""
    undisturbed = cache(lambda: run_undisturbed(folder / "undisturbed"))
    for name in chosen.only or NAMES:
        say(f"{name} ...")
        began = time.monotonic()
        try:
            if name in VICTIMS:
                case = kill_at_random(name, chosen.kills, undisturbed(), folder, say)
            elif name in CHECKS:
                case = run_check(name, chosen.examples)
            else:
                case = soak(chosen.soak, chosen.rounds, folder, say)
        except Exception as error:
            row = soak_name(chosen.soak) if name == SOAK else name
            note = f"the case itself broke: {type(error).__name__}: {str(error)[-500:]}"
            case = Case(row, 0, 1, None, time.monotonic() - began, note)
        yield case


def keep(page: Path, case: Case, command: str) -> None:
    """Write the page with the new row of ``case`` and the others as they were; rows that are gone are dropped."""
    file = page.with_suffix(".json")
    today = datetime.now(UTC).date().isoformat()
    new = replace(case, command=command, machine=this_machine(), day=today)
    rows = {one.name: one for one in (*read_kept(file), new)}
    kept = [rows[name] for name in ROWS if name in rows]
    write_kept(file, kept)
    write_text(page, document(kept))


def main() -> int:
    """Run what is asked for; 1 if anything failed or was lost."""
    chosen = options()
    # Every way out is an exception, so that whatever was started or mounted is ended and removed.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    say = partial(print, "[chaos]", flush=True)
    command = shlex.join(["python", "tests/chaos/run.py", *sys.argv[1:]])
    done: list[Case] = []
    with tempfile.TemporaryDirectory(prefix="pdgmm-chaos-") as name:
        for case in cases(chosen, Path(name), say):
            done.append(case)
            lost = "" if case.data_lost is None else f", {case.data_lost} files lost"
            say(f"{case.name}: tried {case.tried:,}, failures {case.failures}{lost}. {case.note}")
            if chosen.out:
                keep(chosen.out, case, command)
    print("\n" + table(done))
    if chosen.out:
        print(f"Counts: {chosen.out}")
    return int(any(case.failures or case.data_lost for case in done))


if __name__ == "__main__":
    sys.exit(main())
