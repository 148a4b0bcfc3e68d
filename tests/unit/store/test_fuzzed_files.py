"""Files damaged at random: read as they were written, or refused by their name, and no code in them is run.

``PDGMM_FUZZ_EXAMPLES`` says how many of a kind are drawn; the draws are the same each time.
"""

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
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pdgmm.checkpoints import MAGIC, load_checkpoint, save_checkpoint
from pdgmm.encoders.network import NetworkEncoder
from pdgmm.errors import UserError
from pdgmm.observations import Observations
from pdgmm.stages.base import Run
from pdgmm.steps.generate import generate_dataset
from pdgmm.store import hdf5
from pdgmm.store.models import DESCRIPTION, TENSORS, FittedModel, load_model, save_model

FUZZED = settings(
    max_examples=int(os.environ.get("PDGMM_FUZZ_EXAMPLES", "100")),
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
SAMPLES = {"train": 200, "test": 20, "unmasked": 20, "independent": 20}
PROBE = np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3)


class Bomb:
    """Unpickled, it makes the file ``path``."""

    def __init__(self, path):
        self.path = str(path)

    def __reduce__(self):
        return (os.mkdir, (self.path,))


@st.composite
def damages(draw):
    """A function from the bytes of a file to those of a damaged one."""
    kind = draw(st.sampled_from(["flip", "flip", "flip", "zeros", "cut", "insert", "append", "foreign"]))
    place = draw(st.floats(0, 1, exclude_max=True))
    if kind == "flip":
        flips = draw(
            st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 7)), min_size=1, max_size=4)
        )

        def flip(content):
            damaged = bytearray(content)
            for where, bit in flips:
                damaged[int(where * len(content))] ^= 1 << bit
            return bytes(damaged)

        return flip
    if kind == "foreign":
        foreign = draw(
            st.binary(max_size=40)
            | st.sampled_from([b"", b"{}", b"[]", b"null", b"\x89HDF\r\n\x1a\n", b"PK\x03\x04"])
        )
        return lambda content: foreign
    extra = draw(st.binary(min_size=1, max_size=64))

    def changed(content):
        at = int(place * len(content))
        middle = {"zeros": bytes(64), "cut": b"", "insert": extra, "append": content[at:] + extra}[kind]
        rest = {"zeros": content[at + 64 :], "cut": b"", "insert": content[at:], "append": b""}[kind]
        return content[:at] + middle + rest

    return changed


def content_of(path):
    """All that a dataset file says, read with the project's own functions."""
    found = {}
    with hdf5.opened(path, "dataset") as file:
        for key in ("generator", "settings", "seed", "n_latents", "facts"):
            found[key] = hdf5.about(file, key)
        file.visititems(
            lambda name, item: found.update(
                {name: item[()].tobytes()} if isinstance(item, h5py.Dataset) else {}
            )
        )
    found["observations"] = Observations.from_file(path, 3).array().tobytes()
    return found


@pytest.fixture(scope="module")
def dataset_bytes(tmp_path_factory):
    path = tmp_path_factory.mktemp("dataset") / "seed-0.h5"
    generate_dataset("pdgmm", json.dumps({"n": 4, "m": 2, "samples": SAMPLES}), 0, path)
    return path.read_bytes()


def test_a_damaged_dataset_is_read_as_written_or_refused_by_its_name(
    dataset_bytes, tmp_path, record_property
):
    path = tmp_path / "seed-0.h5"
    path.write_bytes(dataset_bytes)
    written = content_of(path)
    outcomes = []

    @FUZZED
    @given(damages())
    def check(damage):
        path.write_bytes(damage(dataset_bytes))
        try:
            read = content_of(path)
        except UserError as error:
            message = str(error)
            assert str(path) in message
            outcomes.append("refused")
        else:
            assert read == written, "other content, and nobody noticed"
            outcomes.append("read")

    check()
    record_property("tried", len(outcomes))
    assert "refused" in outcomes


def test_a_changed_letter_in_what_a_dataset_says_of_itself_is_noticed(dataset_bytes, tmp_path):
    path = tmp_path / "seed-0.h5"
    place = dataset_bytes.index(b'"delta": 0.0')
    path.write_bytes(dataset_bytes[:place] + b'"delta": 8.0' + dataset_bytes[place + 12 :])
    with pytest.raises(UserError, match=r"seed-0\.h5 is damaged \(its attributes.*rm '"):
        content_of(path)


PLACES = ["train", "train/x", "masks", "scm/weights"]
ATTRIBUTES = ["format", "format_version", "kind", "complete", "settings", "n_latents", hdf5.CHECKSUM]
odd_values = st.sampled_from([None, 3, -1.5, "text", "[1", [1, 2], ["a", "b"], b"\xff", True, np.nan])


def put_object(file, name, how):
    if name in file:
        del file[name]
    if how == "group":
        file.create_group(name)
    elif how == "texts":
        file[name] = ["a", "b"]
    elif how == "number":
        file[name] = 3.0
    elif how == "empty":
        file.create_dataset(name, (0, 3), "f4")
    elif how == "loop":
        file[name] = h5py.SoftLink(f"/{name}")
    elif how == "elsewhere":
        file[name] = h5py.ExternalLink("no-such-file.h5", "/x")
    elif how == "records":
        file[name] = np.zeros(3, dtype=[("a", "f4"), ("b", "i4")])


def test_a_dataset_with_foreign_objects_is_read_or_refused_by_its_name(
    dataset_bytes, tmp_path, record_property
):
    path = tmp_path / "seed-0.h5"
    kinds = st.sampled_from(["nothing", "group", "texts", "number", "empty", "loop", "elsewhere", "records"])
    outcomes = []

    @FUZZED
    @given(
        st.dictionaries(st.sampled_from(PLACES), kinds, max_size=2),
        st.dictionaries(st.sampled_from(ATTRIBUTES), odd_values, max_size=2),
    )
    def check(objects, attributes):
        path.write_bytes(dataset_bytes)
        with h5py.File(path, "a") as file:
            # What is inside a group before the group itself.
            for name, how in sorted(objects.items(), reverse=True):
                put_object(file, name, how)
            for name, value in attributes.items():
                del file.attrs[name]
                if value is not None:
                    file.attrs[name] = value
        try:
            Observations.from_file(path, 3).array()
            with hdf5.opened(path, "dataset") as file:
                hdf5.about(file, "settings")
                file["masks"][()]
        except UserError as error:
            message = str(error)
            assert str(path) in message
            outcomes.append("refused")
        else:
            outcomes.append("read")

    check()
    record_property("tried", len(outcomes))
    assert {"read", "refused"} == set(outcomes)


@pytest.fixture
def model_folder(tmp_path):
    torch.manual_seed(0)
    save_model(
        tmp_path,
        FittedModel(NetworkEncoder([3, 4, 2], 0.1), None, {"seconds": 1.5, "by step": {10: 1, 9: 2}}),
    )
    return tmp_path


def meaning(model):
    return model.encoder.encode(PROBE).tobytes(), model.encoder.settings(), model.notes, model.failure


@pytest.mark.parametrize("name", [TENSORS, DESCRIPTION])
def test_a_damaged_model_is_read_as_written_or_refused_by_its_name(model_folder, name, record_property):
    path = model_folder / name
    whole = path.read_bytes()
    written = meaning(load_model(model_folder))
    outcomes = []

    @FUZZED
    @given(damages())
    def check(damage):
        path.write_bytes(damage(whole))
        try:
            read = load_model(model_folder)
        except UserError as error:
            message = str(error)
            assert str(path) in message
            assert "rm '" in message
            outcomes.append("refused")
        else:
            assert meaning(read) == written, "another model, and nobody noticed"
            outcomes.append("read")

    check()
    record_property("tried", len(outcomes))
    assert "refused" in outcomes


odd_json = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 9) | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["sizes", "slope", "a"]), inner, max_size=2)
    ),
    max_leaves=5,
)


def test_a_foreign_description_is_read_or_refused_by_its_name(model_folder, record_property):
    path = model_folder / DESCRIPTION
    whole = json.loads(path.read_text())
    # As an earlier version wrote it: with its own checksum any change is noticed.
    del whole["description_sha256"]
    tried = []

    @FUZZED
    @given(st.dictionaries(st.sampled_from([*sorted(whole), "other"]), odd_json, max_size=2))
    def check(changes):
        tried.append(changes)
        path.write_text(json.dumps(whole | changes))
        try:
            load_model(model_folder)
        except UserError as error:
            message = str(error)
            assert str(model_folder) in message

    check()
    record_property("tried", len(tried))


def test_a_damaged_checkpoint_is_read_as_written_or_left_out(tmp_path, record_property):
    run = Run(seed=0, checkpoint=tmp_path / "checkpoint.pt", checkpoint_key="k")
    save_checkpoint(run, {"step": 7, "weights": torch.arange(20.0)})
    whole = run.checkpoint.read_bytes()
    outcomes = []

    @FUZZED
    @given(damages())
    def check(damage):
        run.checkpoint.write_bytes(damage(whole))
        state = load_checkpoint(run)
        outcomes.append(state)
        assert state is None or (state["step"] == 7 and torch.equal(state["weights"], torch.arange(20.0)))

    check()
    record_property("tried", len(outcomes))
    assert None in outcomes


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


def test_a_checkpoint_that_holds_something_else_is_left_out(tmp_path):
    run = Run(seed=0, checkpoint=tmp_path / "checkpoint.pt", checkpoint_key="k")
    run.checkpoint.write_bytes(signed(as_torch_archive([1, 2])))
    assert load_checkpoint(run) is None


@pytest.mark.parametrize("wrap", [pickle.dumps, as_torch_archive])
def test_code_in_a_model_is_not_run(model_folder, wrap):
    content = wrap(Bomb(model_folder / "ran"))
    description = json.loads((model_folder / DESCRIPTION).read_text())
    # The worst case: whoever put it there also made the checksum fit, as earlier versions had it.
    del description["description_sha256"]
    description["tensors_sha256"] = hashlib.sha256(content).hexdigest()
    (model_folder / TENSORS).write_bytes(content)
    (model_folder / DESCRIPTION).write_text(json.dumps(description))
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
    with pytest.raises(UserError, match=r"seed-0\.h5"):
        content_of(path)
    assert not (tmp_path / "ran").exists()


def test_the_bomb_would_go_off(tmp_path):
    pickle.loads(pickle.dumps(Bomb(tmp_path / "ran")))
    assert (tmp_path / "ran").exists()
