import json
from dataclasses import replace

import numpy as np
import pytest
from pydantic import ValidationError

from pdgmm.data import generator_class
from pdgmm.data.base import SPLITS
from pdgmm.data.masked_scm import MaskedScm
from pdgmm.data.mixing import Mixing
from pdgmm.errors import UserError


def sample(world, split="train", count=4000, seed=0):
    return world.sample(split, count, np.random.default_rng(seed))


def holds(world):
    facts = world.structure().facts
    return [facts[f"assumption_{name}"]["holds"] for name in ("3_6", "3_8a", "3_8b")]


def test_is_registered():
    assert generator_class("pdgmm") is MaskedScm


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("settings", [{}, {"x_dim": 14, "theta": 30.0, "observation_noise": 20.0}])
def test_shapes_and_types(split, settings):
    generator = MaskedScm(**settings)
    arrays = sample(generator.build(0), split, 50)
    assert arrays["x"].shape == (50, generator.x_dim or 10)
    assert arrays["z"].shape == (50, 10)
    assert arrays["component"].shape == (50,)
    assert ("source" in arrays) == (generator.theta != 0)
    assert {name: array.dtype.name for name, array in arrays.items() if name != "source"} == {
        "x": "float32",
        "z": "float32",
        "component": "int32",
    }


def test_same_seed_same_bytes_and_another_seed_another_world():
    settings = MaskedScm(theta=15.0, observation_noise=10.0)
    worlds = [settings.build(seed) for seed in (3, 3, 4)]
    first, again, other = [world.structure().arrays for world in worlds]
    assert {name: array.tobytes() for name, array in first.items()} == {
        name: array.tobytes() for name, array in again.items()
    }
    assert not np.array_equal(first["mixing/weights"], other["mixing/weights"])
    assert not np.array_equal(first["scm/weights"], other["scm/weights"])
    for split in SPLITS:
        one, two = sample(worlds[0], split, 100), sample(worlds[1], split, 100)
        assert all(one[name].tobytes() == two[name].tobytes() for name in one)


def test_a_sweep_changes_one_part_only():
    base, shifted = (
        MaskedScm().build(0).structure().arrays,
        MaskedScm(delta=2.0, rho=0.75).build(0).structure().arrays,
    )
    for name in ("scm/weights", "mixing/weights", "mixing/slopes"):
        np.testing.assert_array_equal(base[name], shifted[name])
    assert not np.array_equal(base["translation"], shifted["translation"])


@pytest.mark.parametrize("noise", ["gauss", "gumbel"])
@pytest.mark.parametrize("delta", [0.0, 2.0])
@pytest.mark.parametrize("split", ["train", "test", "independent"])
def test_masked_entries_sit_at_the_translation_and_active_ones_move(split, delta, noise):
    world = MaskedScm(delta=delta, noise=noise).build(0)
    arrays = sample(world, split)
    active = world.masks[arrays["component"]].astype(bool)
    place = np.broadcast_to((delta * world.scm.std + world.scm.mean).astype(np.float32), active.shape)
    np.testing.assert_array_equal(arrays["z"][~active], place[~active])
    assert (arrays["z"][active] != place[active]).all()


def test_components_are_uniform():
    world = MaskedScm().build(0)
    component = sample(world, count=50_000)["component"]
    counts = np.bincount(component, minlength=len(world.masks))
    expected = 50_000 / len(world.masks)
    chi_square = ((counts - expected) ** 2 / expected).sum()
    degrees = len(world.masks) - 1
    assert abs(chi_square - degrees) < 4 * np.sqrt(2 * degrees)


def test_active_latents_keep_the_covariance_of_the_scm():
    world = MaskedScm(n=4, k=1).build(0)
    arrays = sample(world, count=200_000)
    for number, mask in enumerate(world.masks):
        active = np.flatnonzero(mask)
        block = np.ix_(active, active)
        measured = np.cov(arrays["z"][arrays["component"] == number][:, active].T)
        assert (
            np.abs(
                (measured - world.scm.covariance[block]) / np.outer(world.scm.std, world.scm.std)[block]
            ).max()
            < 0.05
        )


def test_unmasked_latents_follow_the_scm():
    world = MaskedScm(delta=3.0).build(0)
    arrays = sample(world, "unmasked", 100_000)
    assert (arrays["component"] == -1).all()
    relative = (np.cov(arrays["z"].T) - world.scm.covariance) / np.outer(world.scm.std, world.scm.std)
    assert np.abs(relative).max() < 0.03


def test_independent_latents_are_uncorrelated_where_both_are_active():
    world = MaskedScm(n=4, k=1).build(0)

    def largest_correlation(split):
        arrays = sample(world, split, 100_000)
        largest = 0.0
        for number, mask in enumerate(world.masks):
            pair = np.flatnonzero(mask)
            latents = arrays["z"][arrays["component"] == number][:, pair]
            largest = max(largest, abs(np.corrcoef(latents.T)[0, 1]))
        return largest

    assert largest_correlation("independent") < 0.04
    assert largest_correlation("train") > 0.3


def test_unknown_split_is_refused():
    with pytest.raises(ValueError, match="no split 'validation'"):
        sample(MaskedScm().build(0), "validation")


@pytest.mark.parametrize("split", SPLITS)
def test_latents_are_the_rotated_source(split):
    world = MaskedScm(theta=30.0, delta=1.0).build(0)
    arrays = sample(world, split)
    rotation = world.structure().arrays["rotation"]
    np.testing.assert_allclose(arrays["z"], arrays["source"] @ rotation, atol=1e-5)
    assert np.abs(arrays["z"] - arrays["source"]).max() > 0.5
    # The same seed without the angle draws the same source.
    plain = sample(MaskedScm(delta=1.0).build(0), split)
    np.testing.assert_array_equal(plain["z"], arrays["source"])


@pytest.mark.parametrize("x_dim", [None, 15])
def test_the_file_is_enough_to_invert_the_mixing(x_dim):
    world = MaskedScm(x_dim=x_dim, theta=15.0).build(0)
    arrays = world.structure().arrays
    mixing = Mixing(*(arrays[f"mixing/{name}"] for name in ("embedding", "weights", "slopes")), "leaky")
    drawn = sample(world)
    # x is stored in single precision.
    np.testing.assert_allclose(mixing.inverse(drawn["x"]), drawn["z"], atol=1e-4)


def test_structure_describes_the_drawn_world():
    world = MaskedScm(n=5, k=2, m=3, x_dim=7).build(1)
    structure = world.structure()
    arrays = structure.arrays
    assert arrays["masks"].shape == (structure.facts["components"], 5)
    assert arrays["masks"].dtype == arrays["scm/adjacency"].dtype == np.uint8
    np.testing.assert_array_equal(arrays["scm/adjacency"], arrays["scm/weights"] != 0)
    assert arrays["scm/adjacency"].sum() == 10
    assert arrays["mixing/embedding"].shape == (5, 7)
    assert arrays["mixing/weights"].shape == (2, 7, 7)
    assert arrays["mixing/slopes"].shape == (2,)
    assert "rotation" not in arrays
    json.dumps(structure.facts)


@pytest.mark.parametrize(
    ("settings", "standard_basis"),
    [
        ({}, True),
        ({"k": 3, "rho": 0.75}, True),
        ({"rho": "1var"}, True),
        ({"delta": 1.0}, False),  # the supports miss the origin
        ({"theta": 15.0}, False),  # the supports leave the axes
        ({"n": 2, "rho": "1var", "theta": 90.0}, True),  # a quarter turn maps axes to axes
        ({"noise": "exponential"}, False),  # masked latents sit at a mean other than zero
    ],
)
def test_assumptions_follow_the_drawn_components(settings, standard_basis):
    assert holds(MaskedScm(**settings).build(0)) == [True, standard_basis, True]


def test_masks_that_leave_two_latents_together_break_3_8b_only():
    world = MaskedScm(n=3, rho=0.75).build(0)
    together = replace(world, masks=np.array([[1, 1, 0], [0, 0, 1]], dtype=np.uint8))
    assert holds(together) == [True, True, False]
    assert (
        together.structure().facts["assumption_3_8b"]["why"]
        == "[1] never active without 0; [0] never active without 1"
    )


@pytest.mark.parametrize("decibels", [0.0, 20.0])
@pytest.mark.parametrize("split", ["train", "unmasked"])
def test_observation_noise_has_the_wanted_ratio(decibels, split):
    world = MaskedScm(observation_noise=decibels).build(0)
    clean = replace(world, noise_std=None)
    noisy_x, clean_x = sample(world, split, 50_000)["x"], sample(clean, split, 50_000)["x"]
    noise = noisy_x - clean_x  # the noise is drawn last, so the latents are the same
    assert noise.std() == pytest.approx(world.structure().facts["observation_noise_std"], rel=0.01)
    assert np.abs(noise.std(axis=0) / noise.std() - 1).max() < 0.02
    if split == "train":
        ratio = clean_x.var(axis=0).mean() / noise.var(axis=0).mean()
        assert 10 * np.log10(ratio) == pytest.approx(decibels, abs=0.2)


def test_no_noise_is_no_noise():
    assert "observation_noise_std" not in MaskedScm().build(0).structure().facts


def test_observation_smaller_than_the_latents_is_refused():
    with pytest.raises(ValidationError, match=r"x_dim=4 is less than n=5.*use x_dim >= 5"):
        MaskedScm(n=5, x_dim=4)


@pytest.mark.parametrize("rho", [0, 1.0, 1.5, "2var", "0.5"])
def test_ratio_outside_its_range_is_refused(rho):
    with pytest.raises(ValidationError, match="rho"):
        MaskedScm(rho=rho)


def test_impossible_masks_are_refused_when_built():
    with pytest.raises(UserError, match="n=4 with rho=0.2 leaves 0 of 4"):
        MaskedScm(n=4, rho=0.2).build(0)


def test_every_setting_is_described():
    assert all(field.description for field in MaskedScm.model_fields.values())


def linear_r2(world):
    """R2, on held-out samples, of regressing each standardised observation on the standardised latents."""
    train, test = sample(world, "train", 5000, seed=1), sample(world, "test", 5000, seed=2)

    def standardised(name):
        mean, std = train[name].mean(axis=0), train[name].std(axis=0)
        return [(arrays[name].astype(np.float64) - mean) / std for arrays in (train, test)]

    (z_train, z_test), (x_train, x_test) = standardised("z"), standardised("x")
    # Both have mean zero on the training samples, so the regression needs no constant.
    coefficients = np.linalg.lstsq(z_train, x_train, rcond=None)[0]
    return (1 - ((x_test - z_test @ coefficients) ** 2).mean(axis=0) / x_test.var(axis=0)).mean()


def test_the_mixing_is_as_nonlinear_as_it_should_be():
    """Raw observations have R2 0.923 (mean of 200 worlds at the base setting), with a spread of 0.027.

    Single worlds reach from 0.84 to 0.98, and means of five from 0.90 to 0.94, so many are averaged. Slopes
    from U(0.5, 1) would give 0.897 and slopes from U(0.75, 1.25) 0.980.
    """
    scores = [linear_r2(MaskedScm().build(seed)) for seed in range(80)]
    assert np.mean(scores) == pytest.approx(0.923, abs=0.01)


def test_more_layers_are_less_linear_and_one_is_linear():
    by_layers = [
        np.mean([linear_r2(MaskedScm(m=m).build(seed)) for seed in range(10)]) for m in (1, 3, 10, 20)
    ]
    assert by_layers[0] == pytest.approx(1, abs=1e-6)
    assert by_layers == sorted(by_layers, reverse=True)
