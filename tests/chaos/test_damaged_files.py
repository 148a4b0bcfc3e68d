"""Damaged and foreign files in a finished study: noticed before use, named, and mended by the printed command."""

import re
import shutil
import subprocess

import h5py
import numpy as np
import pytest
from safetensors.numpy import save_file

pytestmark = pytest.mark.slow


def cut(path):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flip(path):
    content = bytearray(path.read_bytes())
    for place in range(len(content) // 8, len(content), len(content) // 8):
        content[place] ^= 4
    path.write_bytes(content)


def replace_by_text(path):
    path.write_text("something else\n")


def replace_by_other_hdf5(path):
    path.unlink()
    with h5py.File(path, "w") as file:
        file["x"] = [1.0, 2.0]


def replace_by_other_safetensors(path):
    path.unlink()
    save_file({"weight": np.ones((2, 2))}, path)


FIT = "results/*/seed-0/autoencoder+lagrangian"
STAGE1 = "results/*/seed-0/autoencoder"
DATASET = "datasets/*/seed-0.h5"
LATENTS = f"{FIT}/latents.h5"


@pytest.mark.parametrize(
    ("pattern", "damage"),
    [
        (DATASET, cut),
        (DATASET, flip),
        (DATASET, replace_by_text),
        (DATASET, replace_by_other_hdf5),
        (f"{STAGE1}/model.safetensors", cut),
        (f"{STAGE1}/model.safetensors", flip),
        (f"{STAGE1}/model.safetensors", replace_by_text),
        (f"{STAGE1}/model.safetensors", replace_by_other_safetensors),
        (f"{STAGE1}/model.json", cut),
        (LATENTS, cut),
        (LATENTS, flip),
        (LATENTS, replace_by_other_hdf5),
    ],
    ids=lambda value: value if isinstance(value, str) else value.__name__,
)
def test_a_damaged_file_is_named_and_the_printed_command_mends_it(finished, pattern, damage, record_property):
    scores = finished.files("results/*/seed-0/*/scores.json")
    (path,) = finished.folder.glob(pattern)
    damage(path)
    # What reads it is wanted again.
    if pattern == LATENTS:
        path.with_name("scores.json").unlink()
    else:
        shutil.rmtree(next(finished.folder.glob(FIT)))
    code, output = finished.run(check=False)
    name = str(path.relative_to(finished.folder))
    assert code != 0
    assert name in output
    assert "Traceback" not in output, output
    command = re.search(r"rm '[^\n]*?'(?= and run )", output)[0]
    assert name in command
    subprocess.run(command, shell=True, check=True, cwd=finished.folder)
    finished.run()
    again = finished.files("results/*/seed-0/*/scores.json")
    record_property("data_lost", sum(again.get(file) != content for file, content in scores.items()))
    assert again == scores
