"""Datasets and latents damaged at random: read as they were written, or refused by their name."""

import h5py
import numpy as np
from dataset_content import content_of
from hypothesis import given
from hypothesis import strategies as st

from fuzzing import FUZZED, outcomes_of_damages
from pdgmm.errors import UserError
from pdgmm.store import hdf5
from pdgmm.store.seal import seal


def test_a_damaged_dataset_is_read_as_written_or_refused_by_its_name(
    dataset_bytes, tmp_path, record_property
):
    path = tmp_path / "seed-0.h5"
    path.write_bytes(dataset_bytes)
    outcomes = outcomes_of_damages(path, lambda: content_of(path))
    record_property("tried", len(outcomes))
    assert "refused" in outcomes


PLACES = ["train", "train/x", "masks", "scm/weights"]
ATTRIBUTES = ["format", "format_version", "kind", "settings", "n_latents"]
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
        # The worst case: whoever put it there also made the checksum fit.
        seal(path)
        try:
            with hdf5.opened(path, "dataset") as file:
                hdf5.rows(file, "train/x")[()]
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
