"""Damaged and foreign files in a finished study: noticed before use, named, and mended by the printed command."""

import re
import shutil
import subprocess

import h5py
import numpy as np
import pytest
from safetensors.numpy import save_file

pytestmark = pytest.mark.chaos


def cut(path):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flip(path):
    content = bytearray(path.read_bytes())
    for place in range(len(content) // 8, len(content), len(content) // 8):
        content[place] ^= 4
    path.write_bytes(content)


def replace_by_text(path):
    path.write_text("something else\n")


def replace_by_foreign(path):
    """A file of the same format and another program."""
    path.unlink()
    if path.suffix == ".safetensors":
        save_file({"weight": np.ones((2, 2))}, path)
        return
    with h5py.File(path, "w") as file:
        file["x"] = [1.0, 2.0]


FIT = "results/*/seed-0/autoencoder+lagrangian"
LATENTS = f"{FIT}/latents.h5"
PART1 = "results/*/seed-0/autoencoder"
DAMAGES = {
    "datasets/*/seed-0.h5": (cut, flip, replace_by_text, replace_by_foreign),
    f"{PART1}/code.h5": (cut, flip),
    f"{PART1}/model.safetensors": (cut, flip, replace_by_text, replace_by_foreign),
    f"{PART1}/model.json": (cut,),
    LATENTS: (cut, flip, replace_by_foreign),
}


@pytest.mark.parametrize(
    ("pattern", "damage"),
    [(pattern, damage) for pattern, damages in DAMAGES.items() for damage in damages],
    ids=lambda value: value if isinstance(value, str) else value.__name__,
)
def test_a_damaged_file_is_named_and_the_printed_command_mends_it(finished, pattern, damage, tally):
    scores = finished.files("results/*/seed-0/*/scores.json")
    (path,) = finished.folder.glob(pattern)
    damage(path)
    # What reads it is wanted again.
    if pattern == LATENTS:
        path.with_name("scores.json").unlink()
    else:
        shutil.rmtree(next(finished.folder.glob(FIT)))
        for codes in finished.folder.glob(f"{PART1}/*.h5"):
            if codes != path:
                codes.unlink()
    code, output = finished.run(check=False)
    name = str(path.relative_to(finished.folder))
    assert code != 0
    assert "Traceback" not in output, output
    commands = re.findall(r"rm '[^\n]*?'(?= and run )", output)
    command = next(command for command in commands if name in command)
    subprocess.run(command, shell=True, check=True, cwd=finished.folder)
    finished.run()
    tally.add(finished.files("results/*/seed-0/*/scores.json") == scores)
    assert tally.lost == 0
