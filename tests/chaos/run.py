"""Cause every failure that the project promises to stand, and count: ``python tests/chaos/run.py``.

The whole suite writes its counts to docs/reliability.md. With ``--only`` or ``--quick`` the table is only printed,
unless ``--out`` names a file.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from case import Case
from checks import CHECKS, run_check
from kills import VICTIMS, kill_at_random
from report import document, table
from soak import soak
from undisturbed import run_undisturbed
from workflow_project import ROOT

from pdgmm.store.atomic import write_text

SOAK = "soak"
PAGE = ROOT / "docs" / "reliability.md"


def options() -> argparse.Namespace:
    """The command line."""
    names = [*VICTIMS, *CHECKS, SOAK]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--only", action="append", choices=names, metavar="CASE", help=f"one of: {', '.join(names)}"
    )
    parser.add_argument("--quick", action="store_true", help="2 kills each, 100 random files, 5 rounds")
    parser.add_argument("--kills", type=int, default=20, help="moments of each kind of kill (20)")
    parser.add_argument(
        "--examples", type=int, default=1000, help="random configs and files of each kind (1000)"
    )
    parser.add_argument("--rounds", type=int, default=20, help="rounds of the soak (20)")
    parser.add_argument(
        "--soak", choices=["tiny", "default"], default="tiny", help="study of the soak (tiny)"
    )
    parser.add_argument("--out", type=Path, help="file for the counts (the whole suite: docs/reliability.md)")
    chosen = parser.parse_args()
    if chosen.quick:
        chosen.kills, chosen.examples, chosen.rounds = 2, 100, 5
    if chosen.out is None and not (chosen.quick or chosen.only):
        chosen.out = PAGE
    return chosen


def cases(chosen: argparse.Namespace, folder: Path, say: Callable[[str], None]) -> Iterator[Case]:
    """Every case asked for, one after the other."""
    wanted = chosen.only or [*VICTIMS, *CHECKS, SOAK]
    undisturbed = cache(lambda: run_undisturbed(folder / "undisturbed"))
    for name in wanted:
        say(f"{name} ...")
        if name in VICTIMS:
            yield kill_at_random(name, chosen.kills, undisturbed(), folder, say)
        elif name in CHECKS:
            yield run_check(name, chosen.examples)
        else:
            yield soak(chosen.rounds, chosen.soak == "default", folder, say)


def main() -> int:
    """Run what is asked for; 1 if anything failed or was lost."""
    chosen = options()
    done: list[Case] = []
    with tempfile.TemporaryDirectory(prefix="pdgmm-chaos-") as name:
        for case in cases(chosen, Path(name), say):
            done.append(case)
            lost = "" if case.data_lost is None else f", {case.data_lost} files lost"
            say(f"{case.name}: tried {case.tried:,}, failures {case.failures}{lost}. {case.note}")
    print("\n" + table(done))
    if chosen.out:
        write_text(chosen.out, document(done, " ".join(["python tests/chaos/run.py", *sys.argv[1:]])))
        print(f"Counts: {chosen.out}")
    return int(any(case.failures or case.data_lost for case in done))


def say(text: str) -> None:
    """Tell where the suite is."""
    print(f"[chaos] {text}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
