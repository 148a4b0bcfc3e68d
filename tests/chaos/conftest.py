"""The tiny study of the workflow's tests, and a disk that can be full."""

import contextlib
import subprocess
from dataclasses import dataclass

import pytest
from workflow_project import finished, finished_once, fresh

__all__ = ["finished", "finished_once", "fresh", "project_disk", "small_disk", "tally"]


@dataclass
class Tally:
    """What a test has tried, how often it found other data than it should, and steps that had to be ended."""

    tried: int = 0
    lost: int = 0
    hung: int = 0

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
    record_property("hung", counts.hung)


class SmallDisk:
    """A mounted file system of a few hundred kilobytes."""

    def __init__(self, folder):
        self.folder = folder

    def leave(self, room):
        """Fill it up so that ``room`` bytes are left."""
        filler = self.folder / "filler"
        filler.unlink(missing_ok=True)
        state = subprocess.run(
            ["df", "--output=avail", "-B1", str(self.folder)], check=True, capture_output=True, text=True
        )
        filler.write_bytes(bytes(max(0, int(state.stdout.split()[-1]) - room)))

    def make_room(self):
        (self.folder / "filler").unlink(missing_ok=True)


@contextlib.contextmanager
def mounted(folder, size):
    """A disk of so many bytes at ``folder``, where the user may mount one."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("mounting a small disk needs root")
    yield SmallDisk(folder)
    subprocess.run(["umount", str(folder)], check=True)


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 800 kB: room for a few files."""
    with mounted(tmp_path / "disk", 800 * 1024) as disk:
        yield disk


@pytest.fixture
def project_disk(tmp_path):
    """A disk of 40 MB: room for a whole project and its results."""
    with mounted(tmp_path / "disk", 40 * 2**20) as disk:
        yield disk
