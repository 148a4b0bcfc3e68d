"""The measured rounds of a soak, kept in a file a round at a time: an interrupted soak goes on where it stopped."""

import hashlib
import json
from pathlib import Path

from pdgmm.catalogue import module_of
from pdgmm.data import GENERATORS
from pdgmm.methods import STAGE1, STAGE2
from pdgmm.workflow_support.code_tracking import code_digest

STEPS = ("generate", "train", "score", "tabulate", "draw_heatmaps", "summarise")
"""The steps of a round."""


class SoakRounds:
    """The rounds of one study and one state of the code, a JSON line each in ``file``.

    ``process`` counts the processes that the rounds were run in: memory can only be compared within one.
    """

    def __init__(self, file: Path, key: str) -> None:
        self.file = file
        self.key = key
        self.measured = [one for one in _lines(file) if one.get("key") == key]

    def begin(self, rounds: int) -> int:
        """The number of the first process that goes on; rounds of other code and a finished soak are dropped."""
        if len(self.measured) >= rounds:
            self.measured = []
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_text("".join(json.dumps(one) + "\n" for one in self.measured))
        return 1 + max((one["process"] for one in self.measured), default=0)

    def add(self, one: dict, process: int) -> None:
        """Keep a round."""
        self.measured.append(one | {"process": process, "key": self.key})
        with self.file.open("a") as file:
            file.write(json.dumps(self.measured[-1]) + "\n")

    def by_process(self) -> list[list[dict]]:
        """The rounds of each process."""
        numbers = dict.fromkeys(one["process"] for one in self.measured)
        return [[one for one in self.measured if one["process"] == number] for number in numbers]


def key_of(config: Path) -> str:
    """A hash of a study's config and of the code behind a round: other code may give other scores."""
    methods = [module_of(names, name) for names in (GENERATORS, STAGE1, STAGE2) for name in names]
    code = code_digest(*(f"pdgmm.steps.{step}" for step in STEPS), *methods)
    return hashlib.sha256(config.read_bytes() + code.encode()).hexdigest()[:16]


def _lines(file: Path) -> list[dict]:
    """What is in the file; the last line of a killed soak may be half a line."""
    found = []
    for line in file.read_text().splitlines() if file.exists() else ():
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return found
