"""The processes of a soak: each runs rounds in a row, and all together as many as are asked for."""

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")}


class SoakProcess:
    """One ``soak_process.py``: it runs a round for each line that it is given."""

    def __init__(self, config: Path, folder: Path) -> None:
        self._folder = folder
        self._config = config

    def __enter__(self) -> "SoakProcess":
        self._folder.mkdir()
        self._log = (self._folder / "soak.log").open("w")
        self.process = subprocess.Popen(
            [
                sys.executable,
                str(Path(__file__).with_name("soak_process.py")),
                self._config,
                self._folder / "study",
            ],
            env=os.environ | ONE_THREAD,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            # Ctrl-C reaches the process of the soak alone, which then ends this one.
            start_new_session=True,
        )
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        self._log.close()

    def ask(self) -> None:
        """Have it run one more round; one that has died meanwhile is told by its reader."""
        with contextlib.suppress(OSError):
            self.process.stdin.write("\n")
            self.process.stdin.flush()

    def read_into(self, rounds: queue.Queue) -> None:
        """Put every round, and at the end None, into ``rounds``, from a thread of its own."""

        def read() -> None:
            for line in self.process.stdout:
                rounds.put((self, json.loads(line)))
            rounds.put((self, None))

        threading.Thread(target=read, daemon=True).start()


class RoundFailed(Exception):
    """A process of the soak ended with this exit code before its time."""

    def __init__(self, code: int) -> None:
        super().__init__(f"ended with {code}")
        self.code = code


def soak_rounds(config: Path, rounds: int, processes: int, folder: Path) -> Iterator[tuple[int, dict]]:
    """Each round as it ends, with the number of its process from 0 on; :class:`RoundFailed` where one fails.

    A fast process runs more rounds than a slow one.
    """
    finished: queue.Queue = queue.Queue()
    with contextlib.ExitStack() as stack:
        workers = [
            stack.enter_context(SoakProcess(config, folder / f"soak-{number}"))
            for number in range(min(processes, rounds))
        ]
        for worker in workers:
            worker.read_into(finished)
            worker.ask()
        left, running = rounds - len(workers), len(workers)
        while running:
            worker, one = finished.get()
            if one is None:
                if code := worker.process.wait():
                    raise RoundFailed(code)
                running -= 1
                continue
            if left:
                left -= 1
                worker.ask()
            else:
                worker.process.stdin.close()
            yield workers.index(worker), one
