"""A process computes the checksum of a file once, and again when the file has changed."""

import hashlib
import os
import time

import pytest

from pdgmm.errors import UserError
from pdgmm.store import seal
from pdgmm.store.seal import check_seal


@pytest.fixture
def sealed(tmp_path, monkeypatch):
    """A sealed file, in which the hashes are counted."""
    path = tmp_path / "d.h5"
    path.write_bytes(bytes(600))
    seal.seal(path)
    hashed = []

    def counted(file, name, digest=hashlib.file_digest):
        hashed.append(file.name)
        return digest(file, name)

    monkeypatch.setattr(seal.hashlib, "file_digest", counted)
    return path, hashed


def test_a_settled_file_is_hashed_once(sealed, monkeypatch):
    path, hashed = sealed
    monkeypatch.setattr(seal, "SETTLED_SECONDS", -1.0)
    for _ in range(3):
        check_seal(path, "")
    assert len(hashed) == 1


def test_a_file_that_changed_just_now_is_hashed_again(sealed):
    # A second change within a tick of the file system's clock would leave the same times.
    path, hashed = sealed
    for _ in range(3):
        check_seal(path, "")
    assert len(hashed) == 3


def test_damage_after_the_first_look_is_noticed(sealed, monkeypatch):
    path, _ = sealed
    monkeypatch.setattr(seal, "SETTLED_SECONDS", -1.0)
    check_seal(path, "")
    before = path.stat()
    time.sleep(0.02)  # longer than a tick of the file system's clock
    content = path.read_bytes()
    path.write_bytes(content[:-1] + b"\1")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(UserError, match=r"d\.h5 is damaged"):
        check_seal(path, "")
