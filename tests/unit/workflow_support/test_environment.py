"""The environment of the workflow's commands."""

import os
import platform
import sys
from pathlib import Path

from pdgmm.workflow_support import environment
from pdgmm.workflow_support.environment import (
    importable_from,
    prepare_environment,
    reuse_freed_memory,
    thread_counts,
)

ROOT = Path(__file__).parents[3]


def test_commands_run_this_interpreter_and_this_package(monkeypatch, tmp_path):
    monkeypatch.setattr(os, "environ", {"PATH": "/usr/bin"})
    prepare_environment(tmp_path, "cpu", track_code=False)
    assert os.environ == {
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), "/usr/bin"]),
        "PYTHONPATH": str(tmp_path),
        "PDGMM_DEVICE": "cpu",
        "PDGMM_TRACK_CODE": "False",
    }


def test_every_numerical_library_gets_the_same_number_of_threads():
    counts = thread_counts(3)
    assert {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"} <= counts.keys()
    assert set(counts.values()) == {"3"}


def test_freed_memory_is_kept_with_glibc_and_nothing_happens_elsewhere():
    assert reuse_freed_memory() is (platform.libc_ver()[0] == "glibc")


def test_in_the_repository_others_import_its_source(tmp_path):
    assert importable_from(tmp_path / "links") == ROOT / "src"
    assert not (tmp_path / "links").exists()


def test_an_installed_package_is_offered_without_its_neighbours(tmp_path, monkeypatch):
    neighbours = tmp_path / "site-packages"
    for name in ("pdgmm", "numpy"):
        (neighbours / name).mkdir(parents=True)
    monkeypatch.setattr(environment, "PACKAGE", neighbours / "pdgmm")
    links = tmp_path / "links"
    for _ in range(2):
        assert importable_from(links) == links
        assert [path.name for path in links.iterdir()] == ["pdgmm"]
        assert (links / "pdgmm").resolve() == neighbours / "pdgmm"


def test_a_link_to_another_installation_is_replaced(tmp_path, monkeypatch):
    links = tmp_path / "links"
    links.mkdir()
    (links / "pdgmm").symlink_to(tmp_path / "removed" / "pdgmm")
    (tmp_path / "new" / "pdgmm").mkdir(parents=True)
    monkeypatch.setattr(environment, "PACKAGE", tmp_path / "new" / "pdgmm")
    assert (importable_from(links) / "pdgmm").resolve() == tmp_path / "new" / "pdgmm"
