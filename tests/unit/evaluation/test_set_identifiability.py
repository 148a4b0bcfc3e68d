import numpy as np
import pytest

from pdgmm.evaluation.base import ScoredSplit
from pdgmm.evaluation.set_identifiability import SetIdentifiability, kernel_r2, linear_r2

RNG = np.random.default_rng(0)
Z = RNG.normal(size=(2000, 3))
GROUPS = np.array([0, 1, 2])


def scored(z_hat, z=Z, groups=GROUPS):
    return SetIdentifiability().scores(ScoredSplit(z_hat, {"z": z, "groups": groups}))


def test_latents_that_are_found_one_by_one_say_nothing_about_each_other():
    found = scored(np.sinh(Z[:, [2, 0, 1]]) * [1, -2, 3])
    for name in ("int", "symdiff", "comp_a", "comp_b"):
        assert found[f"set_{name}_linear"] < 0.01
        assert found[f"set_{name}_kernel"] < 0.01
    assert found["set_ref_kernel"] > 0.95
    assert found["set_ref_linear"] < found["set_ref_kernel"]


def test_mixed_sets_show_in_the_right_place():
    # The second group's own latent is mixed into the learned latent of the first's.
    found = scored(np.column_stack([Z[:, 0] + 0.5 * Z[:, 2], Z[:, 1], Z[:, 2]]))
    assert found["set_comp_b_linear"] == pytest.approx(0.2, abs=0.03)
    assert found["set_comp_a_linear"] < 0.01
    assert found["set_int_linear"] < 0.01
    assert found["set_ref_linear"] == pytest.approx(1, abs=1e-6)


def test_only_the_kernel_sees_what_is_not_linear():
    # A cubic that is not correlated with its argument.
    cubic = Z[:, 0] ** 3 - 3 * Z[:, 0]
    found = scored(np.column_stack([Z[:, 0], Z[:, 1] + 0.5 * cubic, Z[:, 2]]))
    assert found["set_symdiff_linear"] < 0.01
    assert found["set_symdiff_kernel"] > 0.03


@pytest.mark.parametrize(
    ("groups", "levels"),
    [
        ([0, 1, 2], (0.30, 0.15, 0.15, 0.15)),
        ([0, 1, 1, 2], (0.26, 0.26, 0.13, 0.13)),
        ([0, 0, 1, 2, 2], (0.46, 0.11, 0.23, 0.23)),
    ],
)
def test_chance_is_that_of_rotated_latents(groups, levels):
    n = len(groups)
    z = RNG.normal(size=(2000, n))
    found = scored(z, z, np.array(groups))
    names = ("int", "symdiff", "comp_a", "comp_b")
    np.testing.assert_allclose([found[f"set_{name}_chance"] for name in names], levels, atol=0.02)
    drawn = [
        scored(z @ np.linalg.qr(RNG.normal(size=(n, n)))[0], z, np.array(groups))["set_int_linear"]
        for _ in range(6)
    ]
    assert np.mean(drawn) == pytest.approx(levels[0], abs=0.2)


def test_fewer_learned_latents_and_constant_ones():
    found = scored(np.column_stack([Z[:, 0], np.zeros(2000)]))
    assert found["set_comp_a_linear"] < 0.01
    assert found["set_ref_linear"] == pytest.approx(1 / 3, abs=0.01)
    assert all(np.isfinite(value) for value in found.values())


def test_regressions_are_scored_on_rows_that_they_have_not_seen():
    noise = RNG.normal(size=(60, 20))
    assert linear_r2(noise, RNG.normal(size=(60, 1))) < 0.3
    assert kernel_r2(noise, RNG.normal(size=(60, 1))) < 0.3
