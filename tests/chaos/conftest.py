"""The tiny study of the workflow's tests, and a disk that can be full."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from workflow_project import finished, finished_once, fresh

__all__ = ["disk", "finished", "finished_once", "fresh", "tally"]


@dataclass
class Tally:
    """What a test has tried, and how often it found other data than it should."""

    tried: int = 0
    lost: int = 0

    def add(self, as_it_should_be):
        self.tried += 1
        self.lost += not as_it_should_be


@pytest.fixture
def tally(record_property):
    """Counts for the page, handed on however the test ends."""
    counts = Tally()
    yield counts
    record_property("tried", counts.tried)
    record_property("data_lost", counts.lost)


@dataclass
class Disk:
    """A mounted file system of a few megabytes."""

    folder: Path

    def leave(self, room):
        """Fill it up so that ``room`` bytes are left; None: empty it again."""
        filler = self.folder / "filler"
        filler.unlink(missing_ok=True)
        if room is not None:
            df = ["df", "--output=avail", "-B1", str(self.folder)]
            free = subprocess.run(df, check=True, capture_output=True, text=True).stdout.split()[-1]
            filler.write_bytes(bytes(max(0, int(free) - room)))


@pytest.fixture
def disk(tmp_path):
    """A disk of 40 MB: room for a whole project and its results. Where the user may not mount one, no test."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=40m", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("mounting a small disk needs root")
    yield Disk(folder)
    subprocess.run(["umount", str(folder)], check=True)
