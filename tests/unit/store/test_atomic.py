"""A file is there whole or not at all; what a killed writer leaves is removed by the next one."""

import errno
import signal
import subprocess
import sys

import pytest

from pdgmm.errors import UserError
from pdgmm.store import atomic
from pdgmm.store.atomic import whole_file, write_text

WRITER = """
import sys, time
from pathlib import Path
from pdgmm.store.atomic import whole_file

with whole_file(Path(sys.argv[1])) as temporary:
    temporary.write_text("half")
    print(temporary.name, flush=True)
    time.sleep(60)
"""


@pytest.fixture
def writer(tmp_path):
    """A process in the middle of writing ``d.h5``, and the path of its half-written file."""
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(tmp_path / "d.h5")], stdout=subprocess.PIPE, text=True
    )
    yield process, tmp_path / process.stdout.readline().strip()
    process.kill()
    process.communicate()


@pytest.mark.parametrize("before", [None, "old"])
def test_a_failure_while_writing_leaves_what_was_there(tmp_path, before):
    path = tmp_path / "d.h5"
    if before:
        path.write_text(before)
    with pytest.raises(ZeroDivisionError), whole_file(path) as temporary:
        temporary.write_text(f"half {1 / 0}")
    assert [file.read_text() for file in tmp_path.iterdir()] == ([before] if before else [])


@pytest.mark.parametrize(
    ("code", "words"),
    [(errno.ENOSPC, "no space left"), (errno.EACCES, "permission denied"), (errno.EROFS, "read-only")],
)
def test_a_full_disk_and_a_closed_folder_are_named(tmp_path, code, words):
    with pytest.raises(UserError, match=r"d\.h5") as raised, whole_file(tmp_path / "d.h5"):
        raise OSError(code, "simulated")
    assert words in str(raised.value)


def test_a_killed_writer_leaves_a_file_that_the_next_one_removes(writer, tmp_path, monkeypatch):
    process, half = writer
    write_text(tmp_path / "d.h5", "whole")
    assert half.read_text() == "half", "its writer lives"
    process.send_signal(signal.SIGKILL)
    process.wait()
    write_text(tmp_path / "e.h5", "another file")
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr("socket.gethostname", lambda: "elsewhere.org")
        write_text(tmp_path / "d.h5", "whole")
    assert half.exists(), "it is of another file, or its writer may live on another host"
    write_text(tmp_path / "d.h5", "whole")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["d.h5", "e.h5"]


@pytest.mark.parametrize("name", ["d.h5", ".d.h5..part", ".d.h5.host.part", ".d.h5.99999999.part"])
def test_other_names_are_left_alone(tmp_path, name):
    (tmp_path / name).write_text("mine")
    atomic.remove_left_overs(tmp_path / "d.h5")
    assert (tmp_path / name).exists()
