"""``PDGMM`` keeps scikit-learn's conventions and its own promises."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from pdgmm import PDGMM
from pdgmm.data.gmm import Gmm
from pdgmm.data.masked_scm import MaskedScm
from pdgmm.errors import UserError
from pdgmm.estimator import FLOW_NOTES, MIXTURE, RELIABLE, RESTING
from pdgmm.evaluation.mcc import mcc
from pdgmm.fitting.whitening import estimate_n_latents


@parametrize_with_checks([PDGMM(steps=2, starts=1, reliability=False), PDGMM(nonlinear=False, starts=1)])
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def data():
    world = MaskedScm(n=5, m=4).build(1)
    draw = world.sample("train", 6000, np.random.default_rng(0))
    held_out = world.sample("test", 2000, np.random.default_rng(1))
    return draw["x"].astype(float), held_out["x"].astype(float), held_out["z"]


@pytest.fixture(scope="module")
def fitted(data):
    return PDGMM(n_latents=5, steps=300, random_state=0).fit(data[0])


@pytest.mark.slow
def test_it_recovers_the_latents(fitted, data):
    assert mcc(data[2], fitted.transform(data[1])).mcc > 0.95


@pytest.fixture(scope="module")
def affine(data):
    return PDGMM(n_latents=5, nonlinear=False, random_state=0).fit(data[0])


def test_the_inverse_gives_the_observations_back(fitted, affine, data):
    for estimator in (fitted, affine):
        again = estimator.inverse_transform(estimator.transform(data[1]))
        np.testing.assert_allclose(again, data[1], atol=1e-4)


@pytest.mark.parametrize("find_supports", [False, True])
def test_the_score_is_a_normalised_density(find_supports):
    # On a grid over two dimensions exp(log-likelihood) must integrate to one.
    x = np.random.default_rng(0).normal(size=(2000, 2)) * [1.0, 0.5]
    x[:700, 0], x[1300:, 1] = 0.3, -0.2
    estimator = PDGMM(nonlinear=False, find_supports=find_supports, random_state=0)
    estimator.fit(x @ [[1.0, 0.4], [-0.3, 1.0]])
    ticks = np.linspace(-6, 6, 1201)
    grid = np.stack(np.meshgrid(ticks, ticks), axis=-1).reshape(-1, 2)
    total = np.exp(estimator.score_samples(grid)).sum() * (ticks[1] - ticks[0]) ** 2
    assert total == pytest.approx(1.0, abs=0.02)


def test_the_score_prefers_the_flow_to_the_affine_map(fitted, affine, data):
    assert fitted.score(data[1]) > affine.score(data[1])


def test_what_was_learned_can_be_read(fitted):
    for name in ("spike_probability_", "spike_centre_", "spike_width_", "slab_mean_", "slab_scale_"):
        assert getattr(fitted, name).shape == (5,)
    assert np.abs(fitted.spike_probability_ - 0.6).max() < 0.25, "two of five latents are active"
    assert len(fitted.start_log_likelihoods_) >= 2
    assert {row["stage"] for row in fitted.history_} == {1, 2}
    assert fitted.fell_back_ is False


def test_how_it_was_chosen_can_be_read(fitted, affine):
    notes = fitted.flow_notes_
    assert set(notes) == set(FLOW_NOTES[RESTING])
    assert notes["best_step"] > 0
    assert affine.flow_notes_ is None
    assert fitted.starts_agreed_ is affine.starts_agreed_ is True


@pytest.mark.slow
def test_held_out_samples_choose_the_prior(data):
    world = Gmm(n=4, m=4).build(100)
    x, held_out = (
        world.sample("train", 3000, np.random.default_rng(seed))["x"].astype(float) for seed in (0, 1)
    )
    quick = {"steps": 40, "reliability": False, "random_state": 0}
    for samples, n, expected in ((x, 4, MIXTURE), (data[0][:3000], 5, RESTING)):
        estimator = PDGMM(n_latents=n, prior="auto", **quick).fit(samples)
        assert estimator.prior_ == expected
        assert estimator.prior_ == max(
            estimator.prior_log_likelihoods_, key=estimator.prior_log_likelihoods_.get
        )
        assert set(estimator.flow_notes_) == set(FLOW_NOTES[expected])
    mixed = PDGMM(n_latents=4, prior="mixture", **quick).fit(x)
    np.testing.assert_allclose(mixed.inverse_transform(mixed.transform(held_out)), held_out, atol=1e-3)
    assert mixed.score(held_out) > PDGMM(n_latents=4, nonlinear=False, random_state=0).fit(x).score(held_out)


def test_the_axes_of_a_mixture_are_its_latents():
    rng = np.random.default_rng(0)
    component = rng.integers(2, size=8000)
    z = rng.normal(size=(8000, 3)) * np.array([[1.0, 1.0, 1.0], [0.3, 1.0, 3.0]])[component]
    x = z @ rng.normal(size=(3, 3))
    estimator = PDGMM(3, nonlinear=False, prior="mixture", random_state=0).fit(x)
    assert mcc(z, estimator.transform(x)).mcc > 0.98
    assert estimator.supports_ is None


def test_unreliable_latents_are_named(fitted, affine):
    assert fitted.reliability_.shape == (5,)
    assert fitted.reliability_.min() > RELIABLE
    assert affine.reliability_ is None
    noise = np.random.default_rng(0).normal(size=(300, 4))
    with pytest.warns(ConvergenceWarning, match="not found again in halves of the samples"):
        unsure = PDGMM(nonlinear=False, reliability=True, random_state=0).fit(noise)
    assert unsure.reliability_.min() < RELIABLE
    with pytest.warns(ConvergenceWarning, match="no two starts"):
        PDGMM(nonlinear=False, random_state=0, starts=1).fit(noise)


@pytest.mark.parametrize("scale", [1.0, 3.0])
def test_the_slab_has_the_spread_of_the_active_samples_where_latents_rest_exactly(scale):
    rng = np.random.default_rng(0)
    z = np.where(rng.random((20_000, 2)) < 0.5, 0.0, scale * rng.standard_normal((20_000, 2)))
    estimator = PDGMM(n_latents=2, nonlinear=False, random_state=0).fit(z)
    latents = estimator.transform(z)
    order = mcc(z, latents).assignment
    for true, learned in enumerate(order):
        active = latents[z[:, true] != 0, learned].std()
        assert estimator.slab_scale_[learned] == pytest.approx(active, rel=0.05)


def test_the_components_are_found():
    world = MaskedScm(n=5, m=1).build(0)
    x = world.sample("train", 6000, np.random.default_rng(0))["x"].astype(float)
    estimator = PDGMM(nonlinear=False, find_supports=True, random_state=0).fit(x)
    held_out = world.sample("test", 2000, np.random.default_rng(1))
    order = mcc(held_out["z"], estimator.transform(held_out["x"].astype(float))).assignment
    found = {tuple(support) for support in estimator.supports_[:, order].astype(int)}
    true = {tuple(mask) for mask in world.masks.astype(int)}
    assert len(found & true) >= 0.9 * len(true)
    assert estimator.support_weights_.sum() == pytest.approx(1.0, abs=0.05)
    independent = PDGMM(nonlinear=False, random_state=0).fit(x)
    assert estimator.score(held_out["x"]) > independent.score(held_out["x"]) + 0.1


def test_the_same_seed_gives_the_same_latents(data):
    first, second = (PDGMM(steps=5, random_state=3).fit(data[0][:500]).transform(data[1]) for _ in range(2))
    np.testing.assert_array_equal(first, second)


def test_pandas_in_and_pandas_out(data):
    frame = pd.DataFrame(data[0][:500], columns=list("abcde"), index=range(1000, 1500))
    estimator = PDGMM(nonlinear=False).set_output(transform="pandas").fit(frame)
    out = estimator.transform(frame)
    assert list(out.columns) == [f"pdgmm{i}" for i in range(5)]
    assert list(out.index) == list(frame.index)
    assert list(estimator.feature_names_in_) == list("abcde")


def test_fewer_latents_than_columns(data):
    wide = data[0] @ np.random.default_rng(0).normal(size=(5, 9))
    estimator = PDGMM(nonlinear=False, random_state=0).fit(wide)
    assert estimator.n_latents_ == 5, "the rank is clear"
    assert PDGMM(n_latents=3, nonlinear=False).fit(wide).transform(wide).shape == (len(wide), 3)


def test_an_unclear_number_of_latents_warns():
    x = np.random.default_rng(0).normal(size=(1000, 4)) * [1.0, 0.9, 0.3, 0.3]
    with pytest.warns(UserWarning, match="number of latents is unclear"):
        assert estimate_n_latents(x) == 4


def spoiled(x, value):
    x = x.copy()
    x[1, 2] = value
    return x


@pytest.mark.parametrize(
    ("spoil", "arguments", "words"),
    [
        (lambda x: spoiled(x, np.nan), {}, "NaN"),
        (lambda x: spoiled(x, np.inf), {}, "infinity"),
        (np.ones_like, {}, "varies in 0 directions"),
        (np.ones_like, {"n_latents": 2}, "vary in only 0 independent directions"),
        (lambda x: np.tile(x[:, :1], 4), {"n_latents": 2}, "vary in only 1 independent direction"),
        (lambda x: x[:4], {"n_latents": 3}, "too few for 3 latents"),
        (lambda x: x[:4], {}, "4 samples are too few for 3 latents: .* must be at least 9"),
        (np.array, {"n_latents": 6}, "more than the 5 columns"),
        *((np.array, {"n_latents": n}, f"n_latents .* got {n!r}$") for n in (0, "3", True, 2.0)),
        *((np.array, {"starts": n}, f"starts .* got {n}$") for n in (0, None)),
        (np.array, {"steps": 0}, "steps .* got 0$"),
        (np.array, {"nonlinear": "no"}, "nonlinear .* got 'no'$"),
        (np.array, {"prior": "normal"}, "prior must be 'resting', 'mixture' or 'auto', got 'normal'"),
        (np.array, {"prior": "auto", "nonlinear": False}, "needs nonlinear=True"),
        (np.array, {"find_supports": 1}, "find_supports .* got 1$"),
    ],
)
def test_bad_input_is_named(data, spoil, arguments, words):
    ours = "NaN" not in words and "infinity" not in words
    with pytest.raises(UserError if ours else ValueError, match=words):
        PDGMM(**{"nonlinear": False, **arguments}).fit(spoil(data[0][:300]))


def test_numpy_integers_are_integers(data):
    numbers = {"n_latents": np.int64(3), "starts": np.int32(1), "steps": np.int64(2)}
    assert PDGMM(nonlinear=False, **numbers).fit(data[0][:300]).n_latents_ == 3


@pytest.mark.parametrize(
    ("latents", "words"),
    [
        (np.zeros((4, 3)), "Z has 3 columns, but there are 5 latents"),
        (np.full((4, 5), np.nan), "Input Z contains NaN"),
        (np.full((4, 5), np.inf), "Input Z contains infinity"),
        (np.zeros(5), "Expected 2D array"),
        (np.full((4, 5), "a"), "could not convert string to float"),
    ],
)
def test_latents_that_cannot_be_inverted_are_named(fitted, latents, words):
    with pytest.raises(ValueError, match=words):
        fitted.inverse_transform(latents)


def test_held_out_samples_must_be_numbers_too(fitted, data):
    for method in (fitted.transform, fitted.score_samples):
        with pytest.raises(ValueError, match="NaN"):
            method(spoiled(data[1], np.nan))


def test_fewer_samples_than_columns_are_fitted_where_there_are_enough_for_the_latents():
    rng = np.random.default_rng(0)
    latent = rng.normal(size=(12, 1)) * (rng.random((12, 1)) < 0.5)
    x = latent @ rng.normal(size=(1, 20))
    assert PDGMM(nonlinear=False, starts=1, random_state=0).fit(x).transform(x).shape == (12, 1)


def test_a_constant_or_duplicate_column_is_harmless(data):
    x = data[0][:2000]
    for more in (np.full((2000, 1), 3.0), x[:, :1]):
        assert PDGMM(nonlinear=False).fit(np.hstack([x, more])).n_latents_ == 5


def test_integers_are_taken_as_the_numbers_they_are():
    counts = np.random.default_rng(0).integers(0, 5, size=(500, 3))
    found, same = (
        PDGMM(nonlinear=False, random_state=0).fit(x).transform(x) for x in (counts, counts.astype(float))
    )
    np.testing.assert_array_equal(found, same)
