import numpy as np
import pytest
from pydantic import ValidationError

from pdgmm.data.gmm import Gmm
from pdgmm.data.mixture_recovery import MixtureRecovery
from pdgmm.data.planar_clusters import Pinwheel
from pdgmm.data.shared_draws import Repeated, same_for_every_seed
from pdgmm.seeds import child_generator

COUNTS = {"train": 50, "test": 30, "unmasked": 20, "independent": 20}


def drawn(settings, seed, split="test"):
    world = settings.build(seed)
    counts = world.counts(settings.samples)
    return world.sample(split, counts[split], child_generator(seed, "samples", split, 0))


def test_a_repeated_dataset_is_that_of_one_seed_for_all():
    inner = Gmm(n=4, m=3, samples=COUNTS)
    repeated = Repeated(of={"generator": "gmm", "n": 4, "m": 3, "samples": COUNTS}, draw=7)
    expected = drawn(inner, 7)
    for seed in (0, 7):
        found = drawn(repeated, seed)
        assert set(found) == set(expected)
        for name, values in expected.items():
            np.testing.assert_array_equal(found[name], values)
    assert repeated.build(0).counts(repeated.samples) == COUNTS
    assert repeated.build(0).n_latents == 4
    assert repeated.truth() == inner.truth()
    assert repeated.latents_known


def test_equal_meaning_gives_an_equal_name():
    given = Repeated(of={"generator": "gmm"})
    assert given.canonical() == Repeated(of={"generator": "gmm", "n": Gmm().n}).canonical()
    assert given.canonical() != Repeated(of={"generator": "gmm", "n": 4}).canonical()


@pytest.mark.parametrize(
    ("of", "words"),
    [
        ({"generator": "nothing"}, "'nothing', use one of"),
        ({"generator": "repeated", "of": {}}, "'repeated', use one of"),
        ({"generator": "gmm", "n": 0}, "n: Input should be greater than or equal to 2"),
        ({"generator": "balls"}, "images of 'balls' cannot be repeated"),
    ],
)
def test_what_cannot_be_repeated_is_named(of, words):
    with pytest.raises(ValidationError, match=words):
        Repeated(of=of)


def test_only_a_number_as_draw_shares_the_data():
    assert not same_for_every_seed(MixtureRecovery())
    assert not same_for_every_seed(Gmm())
    assert same_for_every_seed(MixtureRecovery(draw=3))
    assert same_for_every_seed(Pinwheel())
    one, other = (drawn(MixtureRecovery(draw=3), seed)["x"] for seed in (0, 1))
    np.testing.assert_array_equal(one, other)
    assert not np.array_equal(one, drawn(MixtureRecovery(draw=4), 0)["x"])
    np.testing.assert_array_equal(one, drawn(MixtureRecovery(), 3)["x"])
