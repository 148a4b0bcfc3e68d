"""A soak: a study many times in a row in one process, whose memory and open files must stay flat."""

import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import yaml
from case import Case
from soak_rounds import SoakRounds, key_of
from soak_running import RoundFailed, soak_rounds
from workflow_project import ROOT, TINY

MEGABYTE = 2**20
MOST_GROWTH = 32 * MEGABYTE
"""What memory may differ between the first and the last third: allocators breathe, leaks add up."""

FEWEST_ROUNDS = 4
"""Rounds of a process from which on growth can be told."""

MEASURED = ROOT / "results" / "chaos"
STUDIES = ("tiny", "default")


def soak_name(study: str) -> str:
    """How the page names the soak of a study."""
    return f"soak: the {study} study again and again"


def soak(
    study: str,
    rounds: int,
    folder: Path,
    say: Callable[[str], None],
    measured: Path = MEASURED,
    processes: int = 1,
) -> Case:
    """``rounds`` rounds of the tiny study, or of the default one, in so many processes beside each other.

    Rounds that an interrupted soak left count.
    """
    config = ROOT / "config" / "config.yaml" if study == "default" else folder / "soak.yaml"
    if study != "default":
        config.write_text(yaml.safe_dump(TINY))
    kept = SoakRounds(measured / f"soak-{study}.jsonl", key_of(config))
    first = kept.begin(rounds)
    code = 0
    began = time.monotonic()
    try:
        for number, one in soak_rounds(config, rounds - len(kept.measured), processes, folder):
            kept.add(one, first + number)
            say(
                f"{soak_name(study)}: {len(kept.measured)} of {rounds}, {one['seconds']:.0f} s, "
                f"{one['memory'] / MEGABYTE:.0f} MB, {one['files']} open files"
            )
    except RoundFailed as failure:
        code = failure.code
    except KeyboardInterrupt:
        code = None
    seconds = sum(one["seconds"] for one in kept.measured)
    return judged(study, rounds, code, kept.by_process(), max(seconds, time.monotonic() - began))


def judged(study: str, rounds: int, code: int | None, processes: list[list[dict]], seconds: float) -> Case:
    """The case that the rounds of each process make; ``code`` is how the last one ended, None if interrupted."""
    measured = [one for process in processes for one in process]
    problems = list(_problems(processes, len(measured), rounds, code))
    different = sum(one["scores"] != measured[0]["scores"] for one in measured)
    note = "; ".join([*problems, *_in_words(processes, rounds, code, study)])
    return Case(soak_name(study), len(measured), len(problems), different, seconds, note)


def growth(values: list[int]) -> float:
    """The median of the last third less that of the first, of which the very first round is left out."""
    third = max(1, (len(values) - 1) // 3)
    first, last = sorted(values[1 : 1 + third]), sorted(values[-third:])
    return last[len(last) // 2] - first[len(first) // 2]


def _problems(processes: list[list[dict]], count: int, rounds: int, code: int | None) -> Iterator[str]:
    if code or (code == 0 and count < rounds):
        yield f"it ended with {code} after {count} of {rounds} rounds"
    for measured in processes:
        if len(measured) < FEWEST_ROUNDS:
            continue
        if growth([one["memory"] for one in measured]) > MOST_GROWTH:
            yield "memory grew"
        if growth([one["files"] for one in measured]) > 0:
            yield "open files grew"
    if len({one["scores"] for measured in processes for one in measured}) > 1:
        yield "scores differ between rounds"


def _in_words(processes: list[list[dict]], rounds: int, code: int | None, study: str) -> Iterator[str]:
    measured = [one for process in processes for one in process]
    stopped = ", then interrupted" if code is None else ""
    split = " and ".join(str(len(process)) for process in processes)
    row = f", {split} of them in a row in one process" if len(processes) > 1 else ""
    yield f"{len(measured)} of {rounds} rounds were run{row}{stopped}"
    if study == "default":
        yield "experiments on images are left out"
    if measured:
        yield f"{statistics.median(one['seconds'] for one in measured):.0f} s a round (median)"
    if all(len(process) < FEWEST_ROUNDS for process in processes):
        yield f"fewer than {FEWEST_ROUNDS} rounds in one process: growth cannot be told"
    for process in processes:
        if len(process) >= 2:
            first, last = process[1], process[-1]
            yield (
                f"memory {first['memory'] / MEGABYTE:.0f} MB in round 2, {last['memory'] / MEGABYTE:.0f} MB at the "
                f"end; open files {first['files']} and {last['files']}"
            )
