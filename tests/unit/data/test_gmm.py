import numpy as np
import pytest

from pdgmm.data import generator_class
from pdgmm.data.base import SPLITS
from pdgmm.data.gmm import Gmm
from pdgmm.data.masked_scm import MaskedScm


def test_is_registered():
    assert generator_class("gmm") is Gmm


def test_components_differ_in_mean_and_covariance_and_have_full_rank():
    world = Gmm(n=4, narrow=0.3).build(0)
    drawn = world.sample("train", 100_000, np.random.default_rng(0))
    arrays = world.structure().arrays
    for number, (mean, scale) in enumerate(
        zip(arrays["component_means"], arrays["component_scales"], strict=True)
    ):
        z = drawn["z"][drawn["component"] == number]
        expected = world.scm.covariance * np.outer(scale, scale)
        deviations = np.sqrt(np.diag(expected))
        assert np.abs((z.mean(axis=0) - mean) / deviations).max() < 0.1
        assert np.abs((np.cov(z.T) - expected) / np.outer(deviations, deviations)).max() < 0.1
        assert np.linalg.matrix_rank(np.cov(z.T)) == 4
    assert len({tuple(scale) for scale in arrays["component_scales"]}) > 1


@pytest.mark.parametrize(("rho", "wide"), [("1var", 1), (0.5, 5), (0.75, 7)])
def test_rho_is_how_many_latents_keep_their_width(rho, wide):
    scales = Gmm(rho=rho).build(0).structure().arrays["component_scales"]
    assert ((scales == 1).sum(axis=1) == wide).all()
    assert (scales[scales != 1] == 0.5).all()


def test_nothing_is_masked_and_the_facts_say_so():
    structure = Gmm().build(0).structure()
    assert structure.arrays["masks"].all()
    assert "translation" not in structure.arrays
    facts = structure.facts
    assert [facts[f"assumption_{name}"]["holds"] for name in ("3_6", "3_8a", "3_8b")] == [True, True, False]
    assert facts["assumption_3_8b"]["why"] == "no latent is ever masked"


def test_a_vanishing_width_is_a_masked_scm():
    narrow = Gmm(narrow=1e-9, separation=0.0).build(2).sample("train", 100, np.random.default_rng(0))
    masked = MaskedScm().build(2).sample("train", 100, np.random.default_rng(0))
    np.testing.assert_allclose(narrow["z"], masked["z"], atol=1e-6)


@pytest.mark.parametrize("split", SPLITS)
def test_rotated_noisy_and_larger_observations(split):
    drawn = (
        Gmm(theta=15.0, x_dim=12, observation_noise=20.0).build(0).sample(split, 20, np.random.default_rng(0))
    )
    assert {name: array.shape for name, array in drawn.items()} == {
        "x": (20, 12),
        "z": (20, 10),
        "source": (20, 10),
        "component": (20,),
    }
