"""What steps that draw from codes of small images read: the images, and the codes of a fit."""

import pytest

from pdgmm.steps.generate import generate_dataset
from pdgmm.store import hdf5

DIGITS = '{"source": "digits", "n_latents": 2, "samples": {"train": 20, "test": 30}}'


@pytest.fixture
def digits(tmp_path):
    """The path of a dataset of 20 and 30 digits."""
    path = tmp_path / "digits" / "seed-0.h5"
    generate_dataset("written_digits", DIGITS, 0, path)
    return path


@pytest.fixture
def save_codes(tmp_path):
    """``save_codes(chain, codes)`` writes the codes of held-out samples, or None for a failed fit; the path."""

    def saved(chain, codes):
        path = tmp_path / chain / "latents.h5"
        reason = "it diverged" if codes is None else ""
        with hdf5.create(path, "latents", {"status": "failed" if reason else "ok", "reason": reason}) as file:
            if codes is not None:
                hdf5.put(file, "test/z_hat", codes.astype("float32"))
        return path

    return saved


@pytest.fixture
def record_calls(monkeypatch):
    """``record_calls(module, name)`` lists the arguments of every call of a function, which is still called."""

    def recorded(module, name):
        given, function = [], getattr(module, name)
        monkeypatch.setattr(module, name, lambda *arguments: given.append(arguments) or function(*arguments))
        return given

    return recorded
