"""Whatever becomes of the server, of a step or of a command, the others end as they should, and steps are done."""

import os
import resource
import selectors
import signal
import socket
import subprocess
import sys

import psutil
import pytest
from waiting import WAIT, ended, eventually, fork_at_work, has_ended

from pdgmm.small_steps.asking import ADDRESS, KILLED, answered
from pdgmm.small_steps.serving import SAID, _take
from pdgmm.small_steps.starting import serve_small_steps


def test_a_step_ends_with_its_command(server, ask, tmp_path):
    command = ask("draw-supports", "--out", "x", cwd=tmp_path)
    forked = fork_at_work(server, command)
    command.kill()
    command.wait()
    assert eventually(lambda: has_ended(forked))
    command.communicate()


def test_a_killed_step_is_told_and_the_server_goes_on(server, ask, tmp_path):
    command = ask("draw-supports", "--out", "x", cwd=tmp_path)
    fork_at_work(server, command).kill()
    code, _, err = ended(command)
    assert code == KILLED
    assert "killed" in err
    assert not list(tmp_path.glob("x.*"))
    assert ended(ask("draw-supports", "--out", "x", cwd=tmp_path))[0] == 0


def test_ctrl_c_ends_a_step_as_it_ends_its_command(server, ask, tmp_path):
    command = ask("draw-supports", "--out", "x", cwd=tmp_path)
    assert fork_at_work(server, command)
    command.send_signal(signal.SIGINT)
    code, _, err = ended(command)
    assert code in (130, -signal.SIGINT)
    assert "Traceback" not in err


def test_a_command_does_its_step_itself_where_the_server_is_gone(server, ask, tmp_path):
    server.stdin.close()
    assert server.wait(WAIT) == 0
    code, _, err = ended(ask("draw-supports", "--out", "x", cwd=tmp_path))
    assert code == 0
    assert SAID not in err


def test_a_step_that_ends_after_its_server_answers_all_the_same(server, ask, tmp_path):
    command = ask("draw-supports", "--out", "x", cwd=tmp_path)
    assert fork_at_work(server, command)
    server.kill()
    code, _, err = ended(command)
    assert code == 0, err
    assert (tmp_path / "x.svg").exists()


def test_a_server_that_is_out_of_files_leaves_steps_to_their_commands(server, ask, tmp_path):
    assert SAID in ended(ask("score", "--no-such-option"))[2], "it has begun to serve"
    resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (1, 1))
    for name in ("x", "y"):
        code, _, err = ended(ask("draw-supports", "--out", name, cwd=tmp_path))
        assert code == 0, err
        assert SAID not in err
    assert server.poll() is None


@pytest.mark.parametrize("call", ["pipe", "fork"])
def test_a_server_that_cannot_fork_ends_the_connection(monkeypatch, call):
    def refuse():
        raise OSError("Resource temporarily unavailable")

    monkeypatch.setattr(os, call, refuse)
    before = os.listdir("/proc/self/fd")
    with (
        socket.socket(socket.AF_UNIX) as listener,
        socket.socket(socket.AF_UNIX) as asking,
        selectors.DefaultSelector() as selector,
    ):
        listener.bind("")
        listener.listen()
        asking.connect(listener.getsockname())
        _take(listener, selector, {})
        assert asking.recv(1) == b""
    assert os.listdir("/proc/self/fd") == before


def test_a_server_ends_when_it_is_asked_to(server, ask):
    assert SAID in ended(ask("score", "--no-such-option"))[2], "it has begun to serve"
    server.terminate()
    assert server.wait(WAIT) == -signal.SIGTERM


def test_a_server_outlives_the_terminal_where_its_run_does(ask, monkeypatch):
    monkeypatch.setenv(ADDRESS, "")
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        server = serve_small_steps()
    finally:
        signal.signal(signal.SIGHUP, before)
    server.send_signal(signal.SIGHUP)
    assert SAID in ended(ask("score", "--no-such-option"))[2]
    server.stdin.close()
    assert server.wait(WAIT) == 0


def test_a_server_that_was_stopped_is_not_waited_for_for_ever(server, tmp_path, monkeypatch):
    monkeypatch.setattr("pdgmm.small_steps.asking.LONGEST_WAIT", 0.5)
    server.send_signal(signal.SIGSTOP)
    assert answered(["step", "--threads", "1", "draw-supports", "--out", str(tmp_path / "x")]) is None
    server.send_signal(signal.SIGCONT)


def test_a_run_goes_on_where_no_server_can_be_started(monkeypatch, caplog):
    def refuse(*_, **__):
        raise OSError("Resource temporarily unavailable")

    monkeypatch.setenv(ADDRESS, "")
    monkeypatch.setattr("pdgmm.small_steps.starting.subprocess.Popen", refuse)
    assert serve_small_steps() is None
    assert ADDRESS not in os.environ
    assert "temporarily unavailable" in caplog.text


STARTER = """
import time
from pdgmm.small_steps.starting import serve_small_steps
server = serve_small_steps()
print(server.pid, flush=True)
time.sleep(600)
"""


def test_the_server_ends_with_a_run_that_is_killed(monkeypatch):
    monkeypatch.setenv(ADDRESS, "")
    starter = subprocess.Popen([sys.executable, "-c", STARTER], stdout=subprocess.PIPE, text=True)
    server = psutil.Process(int(starter.stdout.readline()))
    starter.kill()
    starter.communicate()
    assert eventually(lambda: has_ended(server))
