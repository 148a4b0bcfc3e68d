"""Where the browser comes from, without one being installed."""

import subprocess

import get_chromium
import pytest

import debian_packages


@pytest.fixture
def machine(monkeypatch):
    """A Debian without Chromium on which apt-get does as it is told; the commands that were run."""
    commands, present = [], set()

    def run(command, **_):
        commands.append(command[1])
        fails = command[1] in machine.failing or (command[1] == "install" and machine.stale)
        if command[1] == "update":
            machine.stale = False
        if command[1] == "install" and not fails:
            present.update(command[5:])
        return subprocess.CompletedProcess(command, int(fails), "", "no network")

    class machine:
        failing: set[str] = set()
        stale = True
        ran = commands

    monkeypatch.setattr(debian_packages.subprocess, "run", run)
    monkeypatch.setattr(debian_packages.shutil, "which", lambda name: name if name in present else None)
    monkeypatch.setattr(get_chromium, "find_chromium", lambda: "chromium" if "chromium" in present else None)
    monkeypatch.setattr(get_chromium, "is_debian", lambda: True)
    monkeypatch.setattr(get_chromium, "is_root", lambda: True)
    return machine


def test_it_is_installed_once_with_new_lists_where_the_old_ones_fail(machine):
    assert get_chromium.reason_for_none() == ""
    assert machine.ran == ["install", "update", "install"]
    assert get_chromium.reason_for_none() == ""
    assert len(machine.ran) == 3


def test_without_network_the_reason_is_said(machine):
    machine.failing = {"update"}
    assert get_chromium.reason_for_none() == "apt-get update -qq failed: no network"


@pytest.mark.parametrize(("right", "said"), [("is_debian", "no Debian"), ("is_root", "only root")])
def test_elsewhere_nothing_is_run(machine, monkeypatch, right, said):
    monkeypatch.setattr(get_chromium, right, lambda: False)
    assert said in get_chromium.reason_for_none()
    assert machine.ran == []
