"""Bad input: one clear message, a non-zero exit code, and no half-written file under its final name."""

import re
import subprocess

import pytest

pytestmark = pytest.mark.slow


def fails(project, *words):
    code, output = project.run(check=False)
    assert code != 0
    assert all(word in output for word in words), output
    assert "Traceback" not in output, output
    leftovers = [path for path in project.folder.rglob("*.part") if ".snakemake" not in str(path)]
    assert leftovers == []
    return output


def test_a_bad_config_is_one_message(fresh):
    fresh.config = fresh.config | {"methods": {"lagrangian": {"sparsety": 0.1}}}
    fails(fresh, "the config is not valid", "methods.lagrangian.sparsety", "sparsity")
    assert not (fresh.folder / "datasets").exists()


def test_masks_that_cannot_exist_are_explained(fresh):
    config = fresh.config
    config["datasets"]["pdgmm"] |= {"n": 2, "rho": 0.75}
    fresh.config = config
    fails(fresh, "n=2 with rho=0.75 leaves 1 of 2 latents active", "or n >= 3")
    assert not list(fresh.folder.glob("datasets/*/*.h5"))


def test_a_damaged_dataset_is_named_with_the_command_that_repairs_it(finished):
    (path,) = finished.folder.glob("datasets/*/seed-0.h5")
    path.write_bytes(path.read_bytes()[:20_000])
    # A new fit on it is wanted.
    for latents in finished.folder.glob("results/*/seed-0/fastica/latents.h5"):
        latents.unlink()
    name = str(path.relative_to(finished.folder))
    output = fails(finished, name, "is damaged", f"rm '{name}'")
    assert re.search(r"^error: ", output, re.M)
    path.unlink()
    finished.run("--until", "generate_dataset")
    assert path.exists()


def test_a_folder_that_cannot_be_written_is_named(fresh):
    # Root may write anywhere; a file where a folder should be stops root too.
    (fresh.folder / "datasets").write_text("in the way")
    code, output = fresh.run(check=False)
    assert code != 0
    assert "datasets" in output


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 400 kB, where the user may mount one."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", disk], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("mounting a small disk needs root")
    yield disk
    subprocess.run(["umount", disk], check=True)


@pytest.mark.chaos
def test_a_full_disk_is_named_and_the_run_goes_on_when_there_is_room(fresh, small_disk):
    (fresh.folder / "datasets").symlink_to(small_disk)
    config = fresh.config
    config["datasets"]["pdgmm"]["samples"]["train"] = 30_000
    fresh.config = config
    output = fails(fresh, "no space left to write datasets/")
    assert not list(small_disk.rglob("*.h5"))
    assert "make room" in output
    subprocess.run(["mount", "-o", "remount,size=20m", small_disk], check=True)
    fresh.run("--until", "generate_dataset")
    assert list(small_disk.rglob("*.h5"))
