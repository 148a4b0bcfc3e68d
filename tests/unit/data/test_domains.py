"""Data from several domains: nested worlds, true supports, and mixings that can be undone."""

import numpy as np
import pytest
from pydantic import ValidationError

from pdgmm.data.domains import Domains


@pytest.mark.parametrize("mixing", ["dense", "sparse", "rotated", "twins"])
def test_more_domains_leave_the_first_ones_and_the_mixing_as_they_were(mixing):
    few, many = (Domains(domains=count, mixing=mixing).build(200) for count in (2, 8))
    np.testing.assert_array_equal(few.means, many.means[:2])
    np.testing.assert_array_equal(few.scales, many.scales[:2])
    z = np.random.default_rng(0).normal(size=(20, 4))
    np.testing.assert_array_equal(few.mixing(z), many.mixing(z))


@pytest.mark.parametrize("changes", ["both", "means"])
def test_domains_have_the_stated_moments(changes):
    world = Domains(domains=3, changes=changes).build(201)
    drawn = world.sample("train", 30_000, np.random.default_rng(0))
    for domain in range(3):
        z = drawn["z"][drawn["u"] == domain]
        assert len(z) == 10_000
        np.testing.assert_allclose(z.mean(axis=0), world.means[domain], atol=0.05)
        np.testing.assert_allclose(z.std(axis=0), world.scales[domain], rtol=0.05)
    assert (world.means[:, 2:] == 0).all()
    assert (world.scales[:, 2:] == 1).all()
    assert (world.scales[:, :2] == 1).all() == (changes == "means")
    assert len(np.unique(world.means[:, 0])) == 3


@pytest.mark.parametrize(("mixing", "parents"), [("dense", 4), ("sparse", 2), ("rotated", 4), ("twins", 2)])
def test_the_support_is_where_derivatives_are(mixing, parents):
    world = Domains(mixing=mixing, domains=8).build(202)
    z = world.sample("train", 400, np.random.default_rng(0))["z"].astype(np.float64)
    derivatives = [(world.mixing(z + 1e-4 * step) - world.mixing(z)).any(axis=0) for step in np.eye(4)]
    support = world.structure().arrays["dependencies"]
    np.testing.assert_array_equal(np.stack(derivatives, axis=1), support.astype(bool))
    assert (support.sum(axis=1) == parents).all()
    children = {tuple(column) for column in support.T.tolist()}
    assert len(children) == {"sparse": 4, "twins": 2}.get(mixing, 1)


@pytest.mark.parametrize("mixing", ["sparse", "rotated", "twins"])
@pytest.mark.parametrize("n", [4, 6])
def test_a_paired_mixing_is_injective(mixing, n):
    """Two outputs of the same pair have a Jacobian whose determinant never changes its sign."""
    world = Domains(mixing=mixing, n=n, domains=8).build(203)
    z = world.sample("train", 2000, np.random.default_rng(0))["z"].astype(np.float64)
    step = 1e-6
    jacobian = np.stack(
        [(world.mixing(z + step * unit) - world.mixing(z)) / step for unit in np.eye(n)], axis=2
    )
    assert np.linalg.svd(jacobian, compute_uv=False).min() > 1e-3
    plain = world.mixing if mixing != "rotated" else Domains(mixing="sparse", n=n).build(203).mixing
    by_pair = {}
    for output, pair in enumerate(plain.pairs.tolist()):
        by_pair.setdefault(tuple(sorted(pair)), []).append(output)
    doubled = [(pair, outputs) for pair, outputs in by_pair.items() if len(outputs) > 1]
    assert {latent for pair, _ in doubled for latent in pair} == set(range(n))
    if mixing != "rotated":
        for pair, outputs in doubled:
            determinant = np.linalg.det(jacobian[:, outputs[:2]][:, :, list(pair)])
            assert abs(np.sign(determinant).sum()) == len(z)


def test_impossible_settings_are_refused():
    with pytest.raises(ValidationError, match="more than n=4"):
        Domains(changing=5)
    with pytest.raises(ValidationError, match="an even n of at least 4, not 5"):
        Domains(n=5, mixing="sparse")
