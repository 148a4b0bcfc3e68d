"""Models and checkpoints damaged at random: read as they were written, or refused."""

import json

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from fuzzing import FUZZED, damages, outcomes_of_damages
from pdgmm.errors import UserError
from pdgmm.fitting.checkpoints import load_checkpoint, save_checkpoint
from pdgmm.fitting.run import Run
from pdgmm.models.model_files import DESCRIPTION, TENSORS, load_model
from pdgmm.store.checked_json import CHECKSUM, write_checked_json

PROBE = np.linspace(-1, 1, 8, dtype=np.float32).reshape(2, 4)


def meaning(model):
    claims = {name: claim.tobytes() for name, claim in model.claims.items()}
    return model.model.encode(PROBE).tobytes(), model.model.settings(), model.notes, model.failure, claims


@pytest.mark.parametrize("name", [TENSORS, DESCRIPTION])
def test_a_damaged_model_is_read_as_written_or_refused_by_its_name(folder, name, record_property):
    outcomes = outcomes_of_damages(folder / name, lambda: meaning(load_model(folder)), "rm '")
    record_property("tried", len(outcomes))
    assert "refused" in outcomes


odd_json = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 9)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["network", "arguments", "sizes"]), inner, max_size=2)
    ),
    max_leaves=5,
)


def test_a_foreign_description_is_read_or_refused_by_its_name(folder, record_property):
    path = folder / DESCRIPTION
    whole = json.loads(path.read_text())
    del whole[CHECKSUM]
    tried = []

    @FUZZED
    @given(st.dictionaries(st.sampled_from([*sorted(whole), "other"]), odd_json, max_size=2))
    def check(changes):
        tried.append(changes)
        # The worst case: whoever changed it also made the checksum fit.
        write_checked_json(path, whole | changes)
        try:
            load_model(folder)
        except UserError as error:
            message = str(error)
            assert str(folder) in message

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
