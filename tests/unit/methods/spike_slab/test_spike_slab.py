import numpy as np
import pytest

from pdgmm.data.masked_scm import MaskedScm
from pdgmm.errors import UserError
from pdgmm.evaluation.mcc import mcc
from pdgmm.fitting.run import Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods.fastica import FastICA
from pdgmm.methods.spike_slab.spike_slab import SpikeSlab


def samples_of(seed, count=20_000, **settings):
    return MaskedScm(**settings).build(seed).sample("train", count, np.random.default_rng(seed))


@pytest.mark.parametrize("n", [5, 10])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_it_beats_fastica_where_masked_latents_are_translated(n, seed):
    data = samples_of(seed, n=n, delta=2.0)
    scores = {}
    for stage in (SpikeSlab(), FastICA()):
        code = stage.fit(Samples(data["x"], n), Run(seed=seed)).encode(data["x"])
        scores[type(stage).__name__] = mcc(data["z"], code).mcc
    assert scores["SpikeSlab"] > scores["FastICA"] + 0.02
    assert scores["SpikeSlab"] > 0.85  # 0.90 is the best affine map for the hardest of these mixings


def test_the_code_has_its_spikes_at_zero_and_the_notes_say_what_was_learned():
    data = samples_of(0, n=5, m=1, delta=1.0)
    run = Run(seed=0)
    code = SpikeSlab().fit(Samples(data["x"], 5), run).encode(data["x"])
    masked = np.abs(code) < 0.05
    np.testing.assert_allclose(masked.mean(0), run.notes["spike_probability"], atol=0.06)
    assert len(run.notes["start_log_likelihoods"]) == 8
    assert len(run.notes["spike_centre"]) == len(run.notes["spike_width"]) == 5
    assert run.history[-1]["log_likelihood"] >= run.history[-2]["log_likelihood"] - 1e-5
    assert mcc(data["z"], code).mcc > 0.995


def test_a_perfect_code_is_not_made_worse():
    z = samples_of(0, n=10, k=3)["z"]
    code = SpikeSlab().fit(Samples(z, 10), Run(seed=0)).encode(z)
    assert mcc(z, code).mcc > 0.999


def test_fewer_latents_than_columns_and_more_are_told_apart(sparse_x):
    encoder = SpikeSlab().fit(Samples(sparse_x, 2), Run(seed=0))
    assert encoder.encode(sparse_x).shape == (600, 2)
    with pytest.raises(UserError, match="ask for fewer"):
        SpikeSlab().fit(Samples(sparse_x, 5), Run(seed=0))


@pytest.mark.parametrize("kind", ["constant column", "duplicate column", "integers", "few samples"])
def test_awkward_input_is_handled(kind):
    x = samples_of(0, count=2_000, n=4, m=1)["x"]
    if kind == "constant column":
        x = np.column_stack([x, np.ones(len(x))])
    elif kind == "duplicate column":
        x = np.column_stack([x, x[:, 0]])
    elif kind == "integers":
        x = np.round(100 * x).astype(int)
    else:
        x = x[:40]
    code = SpikeSlab().fit(Samples(x, 4), Run(seed=0)).encode(np.asarray(x, np.float32))
    assert np.isfinite(code).all()


def test_fewer_samples_than_latents_is_a_clear_error():
    with pytest.raises(UserError, match="independent directions"):
        SpikeSlab().fit(Samples(np.eye(10, dtype=np.float32)[:4], 8), Run(seed=0))


def test_extra_latents_that_the_input_has_no_room_for_are_empty(sparse_x):
    encoder = SpikeSlab(extra_latents=3).fit(Samples(sparse_x, 4), Run(seed=0))
    code = encoder.encode(sparse_x)
    assert code.shape == (600, 7)
    assert (code[:, 4:] == 0).all()
    np.testing.assert_array_equal(
        code[:, :4], SpikeSlab().fit(Samples(sparse_x, 4), Run(seed=0)).encode(sparse_x)
    )


def test_extra_latents_take_the_directions_there_are(sparse_x):
    code = SpikeSlab(extra_latents=2).fit(Samples(sparse_x, 3), Run(seed=0)).encode(sparse_x)
    assert (code.std(axis=0) > 0.1).tolist() == [True, True, True, True, False]
