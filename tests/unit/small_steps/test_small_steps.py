"""Small steps that one process serves do what their commands would have done, and end as those would."""

import os
import resource
import shutil
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from pdgmm.small_steps.asking import ADDRESS, KILLED, SMALL_STEPS, is_small
from pdgmm.small_steps.serving import SAID
from pdgmm.small_steps.starting import is_of_several_steps, serve_small_steps
from pdgmm.step_commands import step

OFF = {"environment": {ADDRESS: "off"}}
WAIT = 60


def ended(process):
    out, err = process.communicate(timeout=WAIT)
    return process.returncode, out, err


def eventually(condition):
    limit = time.monotonic() + WAIT
    while time.monotonic() < limit:
        if met := condition():
            return met
        time.sleep(0.02)
    return None


def test_every_small_step_is_a_step_and_no_training_is_one():
    assert set(step.commands) >= SMALL_STEPS
    assert not [name for name in SMALL_STEPS if name.startswith(("train", "generate", "extract"))]


@pytest.mark.parametrize(
    ("arguments", "small"),
    [
        (["step", "--threads", "1", "score", "--out", "x"], True),
        (["step", "--threads", "2", "score", "--out", "x"], False),
        (["step", "--threads", "1", "train-stage1"], False),
        (["step", "--threads", "1"], False),
        (["fit", "x.csv"], False),
        ([], False),
    ],
)
def test_only_small_steps_on_one_thread_are_asked_for(arguments, small):
    assert is_small(arguments) is small


def test_a_served_step_writes_the_bytes_of_one_that_is_not(server, ask, tmp_path):
    for number in range(2):
        code, _, err = ended(ask("draw-supports", "--out", f"served-{number}", cwd=tmp_path))
        assert (code, err.splitlines()[0]) == (0, SAID), err
    code, _, err = ended(ask("draw-supports", "--out", "alone", cwd=tmp_path, **OFF))
    assert code == 0
    assert SAID not in err
    for ending in ("svg", "png"):
        pictures = {
            (tmp_path / f"{stem}.{ending}").read_bytes() for stem in ("served-0", "served-1", "alone")
        }
        assert len(pictures) == 1


def test_the_server_imports_what_steps_needed_but_never_torch(server, ask, tmp_path):
    def loaded():
        return Path(f"/proc/{server.pid}/maps").read_text()

    assert "scipy" not in loaded()
    assert ended(ask("draw-supports", "--out", "one", cwd=tmp_path))[0] == 0
    assert eventually(lambda: "scipy" in loaded() and "matplotlib" in loaded())
    assert "libtorch" not in loaded()


def test_an_error_has_the_code_and_the_message_of_the_command(server, ask, tmp_path):
    call = ("score", "--dataset", "d.h5", "--latents", "no-such.h5", "--label", "{}", "--out", "scores.json")
    served, alone = ended(ask(*call, cwd=tmp_path)), ended(ask(*call, cwd=tmp_path, **OFF))
    assert served[0] == alone[0] == 1
    assert served[2].removeprefix(f"{SAID}\n") == alone[2]
    assert "error: no-such.h5 does not exist" in alone[2]
    code, _, err = ended(ask("score", "--no-such-option"))
    assert code == 2
    assert "No such option" in err


def test_the_environment_is_that_of_the_command(server, ask, tmp_path):
    environment = {"MPLCONFIGDIR": str(tmp_path / "of the command")}
    assert ended(ask("draw-supports", "--out", "x", cwd=tmp_path, environment=environment))[0] == 0
    assert (tmp_path / "of the command").is_dir()


def test_a_step_ends_with_its_command(server, ask, tmp_path):
    command = ask("draw-supports", "--out", "x", cwd=tmp_path)
    steps = psutil.Process(server.pid).children
    assert eventually(steps)
    (forked,) = steps()
    command.kill()
    command.wait()
    assert eventually(lambda: not forked.is_running() or forked.status() == psutil.STATUS_ZOMBIE)
    command.communicate()


def test_a_killed_step_is_told_and_the_server_goes_on(server, ask, tmp_path):
    command = ask("draw-supports", "--out", "x", cwd=tmp_path)
    steps = psutil.Process(server.pid).children
    assert eventually(steps)
    steps()[0].kill()
    code, _, err = ended(command)
    assert code == KILLED
    assert "killed" in err
    assert not list(tmp_path.glob("x.*"))
    assert ended(ask("draw-supports", "--out", "x", cwd=tmp_path))[0] == 0


def test_ctrl_c_ends_a_step_as_it_ends_its_command(server, ask, tmp_path):
    command = ask("draw-supports", "--out", "x", cwd=tmp_path)
    assert eventually(psutil.Process(server.pid).children)
    command.send_signal(signal.SIGINT)
    code, _, err = ended(command)
    assert code in (130, -signal.SIGINT)
    assert "Traceback" not in err


def test_a_command_does_its_step_itself_where_the_server_is_gone(server, ask, tmp_path):
    socket = Path(os.environ[ADDRESS])
    server.stdin.close()
    assert server.wait(WAIT) == 0
    assert not socket.parent.exists()
    code, _, err = ended(ask("draw-supports", "--out", "x", cwd=tmp_path))
    assert code == 0
    assert SAID not in err


def test_a_step_that_ends_after_its_server_answers_all_the_same(server, ask, tmp_path):
    command = ask("draw-supports", "--out", "x", cwd=tmp_path)
    assert eventually(psutil.Process(server.pid).children)
    server.kill()
    code, _, err = ended(command)
    assert code == 0, err
    assert (tmp_path / "x.svg").exists()
    # A killed server cannot clean up, and the fixture expects an end of its own accord.
    shutil.rmtree(Path(os.environ[ADDRESS]).parent)
    server.returncode = 0


@pytest.mark.parametrize("more", [0, 1])
def test_a_server_that_is_out_of_files_leaves_the_step_to_its_command(server, ask, tmp_path, more):
    # With no file more it cannot even accept; with one more it can, but has none for the pipe of a fork.
    assert SAID in ended(ask("score", "--no-such-option"))[2], "it has begun to serve"

    def free_files():
        open_files = {int(name) for name in os.listdir(f"/proc/{server.pid}/fd")}
        # Its three streams, the socket and the selector: what the first step's fork had to tell is read by then.
        return set(range(6)) - open_files if len(open_files) == 5 else None

    lowest_free = min(eventually(free_files))
    resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (lowest_free + more,) * 2)
    for name in ("x", "y"):
        code, _, err = ended(ask("draw-supports", "--out", name, cwd=tmp_path))
        assert code == 0, err
        assert SAID not in err
    assert server.poll() is None


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_server_that_is_asked_to_end_leaves_nothing(server, ask, number):
    assert SAID in ended(ask("score", "--no-such-option"))[2], "it has begun to serve"
    server.send_signal(number)
    assert server.wait(WAIT) == 0
    assert not Path(os.environ[ADDRESS]).parent.exists()


def test_a_run_goes_on_where_no_server_can_be_started(monkeypatch, tmp_path, caplog):
    def refuse(*_, **__):
        raise OSError("AF_UNIX path too long")

    monkeypatch.setenv(ADDRESS, "")
    monkeypatch.setattr("pdgmm.small_steps.starting.subprocess.Popen", refuse)
    monkeypatch.setattr("pdgmm.small_steps.starting._short_folder", lambda: str(tmp_path))
    assert serve_small_steps() is None
    assert ADDRESS not in os.environ
    assert list(tmp_path.iterdir()) == []
    assert "path too long" in caplog.text


def test_a_run_elsewhere_does_not_ask_the_server_of_the_run_around_it(monkeypatch):
    monkeypatch.setenv(ADDRESS, "/tmp/of-another-run/socket")
    assert serve_small_steps(wanted=False) is None
    assert ADDRESS not in os.environ


@pytest.mark.parametrize(
    ("arguments", "several"),
    [
        ("--snakefile Snakefile --target-jobs score:seed=0 score:seed=1 --allowed-rules score", True),
        ("--target-jobs train_stage2:seed=0 --allowed-rules train_stage2 --mode remote", False),
        ("--cores 2 --force a b", False),
    ],
)
def test_a_submission_that_steps_share_is_known(arguments, several):
    assert is_of_several_steps(arguments.split()) is several


def test_nobody_else_may_ask(server):
    folder = Path(os.environ[ADDRESS]).parent
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.parametrize("wanted", [True, False])
def test_it_can_be_switched_off(monkeypatch, wanted):
    monkeypatch.setenv(ADDRESS, "off")
    assert serve_small_steps(wanted) is None
    assert os.environ[ADDRESS] == "off", "nor do the nodes start one to which the environment is passed on"


STARTER = """
import os, sys, time
from pdgmm.small_steps.starting import is_of_several_steps, serve_small_steps
server = serve_small_steps()
print(server.pid, os.environ["PDGMM_STEP_SERVER"], flush=True)
time.sleep(600)
"""


def test_the_server_ends_with_a_run_that_is_killed(monkeypatch):
    monkeypatch.setenv(ADDRESS, "")
    starter = subprocess.Popen([sys.executable, "-c", STARTER], stdout=subprocess.PIPE, text=True)
    pid, address = starter.stdout.readline().split()
    starter.kill()
    starter.communicate()
    assert eventually(lambda: not psutil.pid_exists(int(pid)))
    assert eventually(lambda: not Path(address).parent.exists())
