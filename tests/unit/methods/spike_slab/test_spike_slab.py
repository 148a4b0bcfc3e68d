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


def fitted(x, n, run=None, **settings):
    return SpikeSlab(**settings).fit(Samples(x, n), run or Run(seed=0))


@pytest.mark.parametrize("n", [5, 10])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_it_beats_fastica_where_masked_latents_are_translated(n, seed):
    drawn = samples_of(seed, n=n, delta=2.0)
    ours, fastica = (
        mcc(drawn["z"], method.fit(Samples(drawn["x"], n), Run(seed=seed)).model.encode(drawn["x"])).mcc
        for method in (SpikeSlab(), FastICA())
    )
    assert ours > fastica + 0.02
    assert ours > 0.85  # 0.90 is the best affine map for the hardest of these mixings


def test_the_code_has_its_spikes_at_zero_and_the_notes_say_what_was_learned():
    drawn, run = samples_of(0, n=5, m=1, delta=1.0), Run(seed=0)
    code = fitted(drawn["x"], 5, run).model.encode(drawn["x"])
    np.testing.assert_allclose((np.abs(code) < 0.05).mean(0), run.notes["spike_probability"], atol=0.06)
    assert len(run.notes["start_log_likelihoods"]) == len(run.notes["starts"]) >= 2
    assert run.notes["starts_agreed"] is True
    assert len(run.notes["spike_centre"]) == len(run.notes["spike_width"]) == 5
    assert run.history[-1]["log_likelihood"] >= run.history[-2]["log_likelihood"] - 1e-5
    assert mcc(drawn["z"], code).mcc > 0.995


def test_a_perfect_code_is_not_made_worse():
    z = samples_of(0, n=10, k=3)["z"]
    assert mcc(z, fitted(z, 10).model.encode(z)).mcc > 0.999


@pytest.mark.parametrize(
    "spoiled",
    [
        lambda x: np.column_stack([x, np.ones(len(x))]),
        lambda x: np.column_stack([x, x[:, 0]]),
        lambda x: np.round(100 * x).astype(int),
        lambda x: x[:40],
    ],
    ids=["constant column", "duplicate column", "integers", "few samples"],
)
def test_awkward_input_is_handled(spoiled):
    x = spoiled(samples_of(0, count=2_000, n=4, m=1)["x"])
    assert np.isfinite(fitted(x, 4).model.encode(np.asarray(x, np.float32))).all()


@pytest.mark.parametrize(
    ("rows", "columns", "n", "said"), [(600, 4, 5, "5 latents in 4 dim"), (4, 10, 8, "only 3")]
)
def test_more_latents_than_directions_is_a_clear_error(rows, columns, n, said):
    with pytest.raises(UserError, match=f"{said}.*ask for fewer"):
        fitted(np.eye(columns, dtype=np.float32)[np.arange(rows) % columns], n)


def test_extra_latents_that_the_input_has_no_room_for_are_empty_and_in_no_support(sparse_x):
    fit = fitted(sparse_x, 4, extra_latents=3, supports=True)
    code, claims = fit.model.encode(sparse_x), fit.claims
    assert code.shape == (600, 7)
    assert (code[:, 4:] == 0).all()
    np.testing.assert_array_equal(code[:, :4], fitted(sparse_x, 4).model.encode(sparse_x))
    assert claims["supports"].shape == (len(claims["support_weights"]), 7)
    assert claims["supports"].dtype == np.uint8
    assert not claims["supports"][:, 4:].any()
    assert claims["supports"][:, :4].any(axis=0).all()
    assert (np.diff(claims["support_weights"]) <= 0).all()


def test_extra_latents_take_the_directions_there_are(sparse_x):
    code = fitted(sparse_x, 3, extra_latents=2).model.encode(sparse_x)
    assert (code.std(axis=0) > 0.1).tolist() == [True, True, True, True, False]
