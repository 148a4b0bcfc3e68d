"""The data of the study of mixture priors: clusters in the plane, mixtures behind networks, segments, digits."""

import numpy as np
import pytest
from pydantic import ValidationError
from scipy.spatial import ConvexHull

from pdgmm.data.leaky_decoder import random_decoder
from pdgmm.data.mixture_recovery import MixtureRecovery
from pdgmm.data.planar_clusters import Parallelograms, Pinwheel
from pdgmm.data.segments import Segments
from pdgmm.data.written_digits import WrittenDigits
from pdgmm.errors import UserError

RNG = np.random.default_rng(0)


def test_the_arms_of_a_pinwheel_are_turned_copies_of_each_other():
    world = Pinwheel(rate=0.0, tangential=1e-6, radial=0.1).world(0)
    sampled = world.sample("train", 6000, np.random.default_rng(0))
    for arm in range(3):
        x = sampled["x"][sampled["component"] == arm]
        direction = np.array([np.cos(2 * np.pi * arm / 3), np.sin(2 * np.pi * arm / 3)])
        np.testing.assert_allclose(x.mean(axis=0), 10 * direction, atol=0.1)
        np.testing.assert_allclose((x @ direction).std(), 1.0, rtol=0.1)
    bent = Pinwheel().world(0).sample("train", 6000, np.random.default_rng(0))["x"]
    radius, angle = np.hypot(*bent.T) / 10, np.arctan2(bent[:, 1], bent[:, 0])
    across = np.angle(np.exp(3j * (angle - 0.25 * np.exp(radius)))) / 3
    assert (np.abs(across) * radius).std() < 0.06


def test_parallelograms_are_uniform_inside_their_edges():
    world = Parallelograms(noise=0.0).world(1)
    sampled = world.sample("train", 30_000, np.random.default_rng(0))
    for shape, edges in enumerate(world.edges):
        x = sampled["x"][sampled["component"] == shape].astype(float)
        assert ConvexHull(x).volume == pytest.approx(abs(np.linalg.det(edges)), rel=0.03)
        np.testing.assert_allclose(np.cov(x.T), edges.T @ edges / 12, rtol=0.1, atol=0.02)
        cosine = edges[0] @ edges[1] / np.prod(np.linalg.norm(edges, axis=1))
        assert abs(cosine) <= np.cos(np.pi / 6) + 1e-9
    assert not np.allclose(world.centres, Parallelograms().world(2).centres)


def test_a_decoder_is_injective_and_bends_within_the_latents():
    z = RNG.normal(size=(2000, 2))
    decoder = random_decoder([2, 4, 4, 5], 0.2, z, np.random.default_rng(1))
    np.testing.assert_allclose(decoder.inverse(decoder(z)), z, atol=1e-8)
    share = (z @ decoder.weights[0] + decoder.biases[0] > 0).mean(axis=0)
    assert (share > 0.05).all()
    assert (share < 0.95).all()


def test_the_mixture_of_a_recovery_set_is_the_law_of_its_latents():
    world = MixtureRecovery(n=3, components=2, noise=0.0).world(5)
    sampled = world.sample("train", 20_000, np.random.default_rng(0))
    for component, weight in enumerate(world.mixture.weights):
        z = sampled["z"][sampled["component"] == component]
        assert len(z) / 20_000 == pytest.approx(weight, abs=0.02)
        np.testing.assert_allclose(z.mean(axis=0), world.mixture.means[component], atol=0.1)
        np.testing.assert_allclose(np.cov(z.T), np.diag(world.mixture.scales[component] ** 2), atol=0.1)
    np.testing.assert_allclose(world.decoder.inverse(sampled["x"]), sampled["z"], atol=1e-2)


def test_a_network_that_gets_narrower_is_refused():
    with pytest.raises(ValidationError, match=r"\[2, 8, 4, 8\] get narrower"):
        MixtureRecovery(widths=[8, 4])


def test_the_segment_sets_the_scale():
    world = Segments(segments=3).world(0)
    sampled = world.sample("train", 30_000, np.random.default_rng(0))
    for segment in range(3):
        z = sampled["z"][sampled["u"] == segment]
        np.testing.assert_allclose(z.std(axis=0), world.scales[segment], rtol=0.05)
    np.testing.assert_allclose(world.mixing.inverse(sampled["x"]), sampled["z"], atol=1e-3)


def test_digits_are_split_once_for_all_seeds():
    settings = WrittenDigits(source="digits", samples={"train": 1200, "test": 500})
    world = settings.build(0)
    assert world.counts(settings.samples) == {"train": 1200, "test": 500}
    train, test = (world.sample(split, 1, RNG) for split in ("train", "test"))
    assert train["x"].shape == (1200, 64)
    assert 0 <= train["x"].min() < train["x"].max() == 1
    assert set(train["u"]) == set(range(10))
    held_out = {row.tobytes() for row in test["x"]}
    assert not held_out & {row.tobytes() for row in train["x"]}
    with pytest.raises(UserError, match="1797 images, 1796 held-out ones"):
        WrittenDigits(source="digits", samples={"test": 1796}).build(0)


def test_the_images_of_mnist_are_500_a_digit():
    world = WrittenDigits().build(0)
    train, test = (world.sample(split, 1, RNG) for split in ("train", "test"))
    assert train["x"].shape == (4000, 784)
    assert test["x"].shape == (1000, 784)
    assert (np.bincount(train["u"]) + np.bincount(test["u"]) == 500).all()
