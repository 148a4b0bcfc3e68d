"""Small steps that one process serves do what their commands would have done, and end as those would."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from waiting import WAIT, ended, eventually

from pdgmm.cli.step_commands import step
from pdgmm.small_steps.asking import ADDRESS, SMALL_STEPS, is_small
from pdgmm.small_steps.serving import SAID
from pdgmm.small_steps.starting import is_of_several_steps, serve_small_steps

OFF = {"environment": {ADDRESS: "off"}}


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


def test_the_server_has_no_thread_but_its_own(server, ask, tmp_path):
    # Arrow, which pandas imports, would start one.
    assert ended(ask("summarise", "--out", "x", "no-such.csv", cwd=tmp_path))[0] == 1
    assert eventually(lambda: "arrow" in Path(f"/proc/{server.pid}/maps").read_text())
    ask("score", "--no-such-option").wait(WAIT)
    assert len(os.listdir(f"/proc/{server.pid}/task")) == 1


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


def test_a_run_elsewhere_does_not_ask_the_server_of_the_run_around_it(monkeypatch):
    monkeypatch.setenv(ADDRESS, "@of-another-run")
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


@pytest.mark.skipif(os.getuid() != 0, reason="only root can be somebody else")
def test_nobody_else_may_ask(server):
    ask = (
        "import os, socket, sys; os.setuid(65534); connection = socket.socket(socket.AF_UNIX); "
        "connection.connect(sys.argv[1].replace('@', chr(0), 1)); print(connection.recv(1))"
    )
    said = subprocess.run([sys.executable, "-c", ask, os.environ[ADDRESS]], capture_output=True, text=True)
    assert said.stdout == "b''\n", said.stderr


@pytest.mark.skipif(os.getuid() != 0, reason="only root can be somebody else")
def test_nobody_else_is_asked(ask, tmp_path, monkeypatch):
    address = f"@pdgmm-test-{os.getpid()}"
    monkeypatch.setenv(ADDRESS, address)
    serve = (
        "import os, socket, sys; os.setuid(65534); listener = socket.socket(socket.AF_UNIX); "
        "listener.bind(sys.argv[1].replace('@', chr(0), 1)); listener.listen(); print('ready', flush=True); "
        "print(listener.accept()[0].recv(1))"
    )
    with subprocess.Popen([sys.executable, "-c", serve, address], stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout.readline() == "ready\n"
        code, _, err = ended(ask("draw-supports", "--out", "x", cwd=tmp_path))
        assert code == 0, err
        assert other.communicate(timeout=WAIT)[0] == "b''\n", "neither files nor the environment were sent"


@pytest.mark.parametrize("wanted", [True, False])
def test_it_can_be_switched_off(monkeypatch, wanted):
    monkeypatch.setenv(ADDRESS, "off")
    assert serve_small_steps(wanted) is None
    assert os.environ[ADDRESS] == "off", "nor do the nodes start one to which the environment is passed on"
