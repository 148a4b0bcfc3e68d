"""Scores inside domains: what the means of the domains cannot reach."""

import numpy as np
import pytest

from pdgmm.data.domains import Domains
from pdgmm.evaluation.base import ScoredSplit
from pdgmm.evaluation.within_domains import WithinDomains, match_within_domains


@pytest.fixture(scope="module")
def drawn():
    world = Domains(domains=4).build(204)
    sample = world.sample("test", 4000, np.random.default_rng(0))
    return {"z": sample["z"].astype(np.float64), "u": sample["u"], **world.structure().arrays}


def scored(truth, z_hat):
    return WithinDomains().scores(ScoredSplit(z_hat, truth))


def test_the_truth_in_any_order_scale_and_sign_scores_one(drawn):
    scores = scored(drawn, drawn["z"][:, [2, 0, 3, 1]] * [-2, 0.1, 3, 5] + 7)
    assert scores["within_domain_mcc"] == pytest.approx(1)
    assert scores["changing_mcc"] == pytest.approx(1)
    assert scores["invariant_r2"] == pytest.approx(1)


def test_the_means_of_domains_score_high_over_all_samples_and_nothing_inside_domains(drawn):
    means = np.stack([drawn["z"][drawn["u"] == u].mean(axis=0) for u in range(4)])
    scores = scored(drawn, means[drawn["u"]])
    assert scores["within_domain_mcc"] == 0
    assert scores["changing_mcc"] == pytest.approx(scores["domain_means_mcc"])
    assert scores["changing_mcc"] > 0.9
    assert abs(scores["invariant_r2"]) < 0.05


def test_a_shift_of_every_domain_changes_nothing_inside_domains(drawn):
    noisy = drawn["z"] + np.random.default_rng(1).normal(size=drawn["z"].shape)
    shifted = noisy + 10 * np.random.default_rng(2).normal(size=(4, 4))[drawn["u"]]
    one, other = (scored(drawn, code)["within_domain_mcc"] for code in (noisy, shifted))
    assert one == pytest.approx(other)
    assert 0.2 < one < 0.9


def test_the_chance_levels_are_those_of_random_rotations(drawn):
    inside = drawn["z"].copy()
    for u in range(4):
        rows = drawn["u"] == u
        inside[rows] = (inside[rows] - inside[rows].mean(0)) / inside[rows].std(0)
    rng = np.random.default_rng(3)
    turned = [scored(drawn, inside @ (np.linalg.qr(rng.normal(size=(4, 4)))[0])) for _ in range(60)]
    for name, chance in (
        ("within_domain_mcc", "within_domain_chance"),
        ("invariant_r2", "invariant_r2_chance"),
    ):
        assert np.mean([scores[name] for scores in turned]) == pytest.approx(turned[0][chance], abs=0.04)


def test_an_invariant_block_may_be_rotated_but_not_mixed_with_changing_latents(drawn):
    turned = drawn["z"].copy()
    turned[:, 2:] = turned[:, 2:] @ np.array([[0.6, -0.8], [0.8, 0.6]])
    assert scored(drawn, turned)["invariant_r2"] == pytest.approx(1)
    turned[:, 2:] += 2 * drawn["z"][:, :1]
    assert scored(drawn, turned)["invariant_r2"] < 0.7


def test_one_assignment_serves_all_domains(drawn):
    swapped = drawn["z"].copy()
    rows = drawn["u"] == 0
    swapped[rows] = swapped[rows][:, [1, 0, 3, 2]]
    match = match_within_domains(drawn["z"], swapped, drawn["u"], drawn["changing"])
    np.testing.assert_array_equal(match.assignment, [0, 1])
    assert match.per_latent == pytest.approx([0.75, 0.75], abs=0.02)


def test_too_few_learned_latents_score_zero_where_missing(drawn):
    scores = scored(drawn, drawn["z"][:, :1])
    assert scores["within_domain_mcc"] == pytest.approx(0.5)
    assert scores["invariant_r2"] == 0
