"""What a killed writer leaves is removed by the next one, and nothing else is."""

import os
import signal
import subprocess
import sys

import pytest

from pdgmm.store import left_overs
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
    """A process in the middle of writing ``d.h5``, and the name of its half-written file."""
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(tmp_path / "d.h5")], stdout=subprocess.PIPE, text=True
    )
    yield process, tmp_path / process.stdout.readline().strip()
    process.kill()
    process.communicate()


def test_a_killed_writer_leaves_a_file_that_the_next_one_removes(writer, tmp_path):
    process, half = writer
    assert half.read_text() == "half"
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert half.exists()
    write_text(tmp_path / "e.h5", "another file")
    assert half.exists(), "it is no left-over of that file"
    write_text(tmp_path / "d.h5", "whole")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["d.h5", "e.h5"]


def test_a_writer_that_lives_keeps_its_file(writer, tmp_path):
    _, half = writer
    write_text(tmp_path / "d.h5", "whole")
    assert half.read_text() == "half"


def test_files_of_other_hosts_are_left_alone(writer, tmp_path, monkeypatch):
    process, half = writer
    process.send_signal(signal.SIGKILL)
    process.wait()
    monkeypatch.setattr("socket.gethostname", lambda: "elsewhere.org")
    write_text(tmp_path / "d.h5", "whole")
    assert half.exists()


def test_the_name_says_host_and_process(tmp_path, monkeypatch):
    monkeypatch.setattr("socket.gethostname", lambda: "node-7.cluster/x")
    with whole_file(tmp_path / "d.h5") as temporary:
        assert temporary.name == f".d.h5.node-7_cluster_x.{os.getpid()}.part"
        temporary.touch()


def test_the_process_of_another_user_lives(monkeypatch):
    def refuse(process, number):
        raise PermissionError

    monkeypatch.setattr("os.kill", refuse)
    assert left_overs._lives(1)


@pytest.mark.parametrize("name", ["d.h5", ".d.h5..part", ".d.h5.host.part", ".d.h5.99999999.part"])
def test_other_names_are_no_left_overs(tmp_path, name):
    (tmp_path / name).write_text("mine")
    left_overs.remove_left_overs(tmp_path / "d.h5")
    assert (tmp_path / name).exists()
