"""Files that hold code: it is never run."""

import hashlib
import io
import json
import os
import pickle
import zipfile

import h5py
import numpy as np
import pytest
import torch
from dataset_content import content_of

from pdgmm.errors import UserError
from pdgmm.fitting.checkpoints import MAGIC, load_checkpoint
from pdgmm.fitting.run import Run
from pdgmm.models.model_files import DESCRIPTION, TENSORS, load_model
from pdgmm.store.checked_json import CHECKSUM, write_checked_json
from pdgmm.store.seal import seal


class Bomb:
    """Unpickled, it makes the file ``path``."""

    def __init__(self, path):
        self.path = str(path)

    def __reduce__(self):
        return (os.mkdir, (self.path,))


def signed(payload):
    return MAGIC + hashlib.sha256(payload).digest() + payload


def as_torch_archive(bomb):
    """What ``torch.save`` makes of an object that runs code when it is loaded."""
    buffer = io.BytesIO()
    torch.save(bomb, buffer)
    assert zipfile.is_zipfile(buffer)
    return buffer.getvalue()


@pytest.mark.parametrize(
    "wrap",
    [
        pickle.dumps,
        as_torch_archive,
        lambda b: signed(pickle.dumps(b)),
        lambda b: signed(as_torch_archive(b)),
    ],
)
def test_code_in_a_checkpoint_is_not_run(tmp_path, wrap):
    run = Run(seed=0, checkpoint=tmp_path / "checkpoint.pt", checkpoint_key="k")
    run.checkpoint.write_bytes(wrap(Bomb(tmp_path / "ran")))
    assert load_checkpoint(run) is None
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("wrap", [pickle.dumps, as_torch_archive])
def test_code_in_a_model_is_not_run(model_folder, wrap):
    content = wrap(Bomb(model_folder / "ran"))
    description = json.loads((model_folder / DESCRIPTION).read_text())
    # The worst case: whoever put it there also made the checksums fit.
    del description[CHECKSUM]
    description["tensors_sha256"] = hashlib.sha256(content).hexdigest()
    (model_folder / TENSORS).write_bytes(content)
    write_checked_json(model_folder / DESCRIPTION, description)
    with pytest.raises(UserError, match=TENSORS):
        load_model(model_folder)
    (model_folder / DESCRIPTION).write_bytes(content)
    with pytest.raises(UserError, match=DESCRIPTION):
        load_model(model_folder)
    assert not (model_folder / "ran").exists()


def test_code_in_a_dataset_is_not_run(dataset_bytes, tmp_path):
    bomb = pickle.dumps(Bomb(tmp_path / "ran"))
    path = tmp_path / "seed-0.h5"
    path.write_bytes(bomb)
    with pytest.raises(UserError, match=r"seed-0\.h5"):
        content_of(path)
    path.write_bytes(dataset_bytes)
    with h5py.File(path, "a") as file:
        del file["train/x"]
        file["train/x"] = np.void(bomb)
    seal(path)
    with pytest.raises(UserError, match=r"seed-0\.h5"):
        content_of(path)
    assert not (tmp_path / "ran").exists()


def test_the_bomb_would_go_off(tmp_path):
    pickle.loads(pickle.dumps(Bomb(tmp_path / "ran")))
    assert (tmp_path / "ran").exists()
