"""Which latents change over domains, as new rows tell."""

import numpy as np
import pytest

from pdgmm.analysis.diagnostics.domain_changes import domain_changes


def labelled(rows, means, scales, seed):
    """Latents of which each has a mean and a scale of its own in every domain (domains, n)."""
    rng = np.random.default_rng(seed)
    u = rng.integers(0, len(means), rows)
    return means[u] + scales[u] * rng.normal(size=(rows, means.shape[1])), u


def changes(means, scales, rows=800):
    means, scales = np.atleast_2d(np.array(means, float).T).T, np.atleast_2d(np.array(scales, float).T).T
    parts = [labelled(count, means, scales, seed) for seed, count in enumerate((rows, rows // 4))]
    return domain_changes(*parts, "site", [str(place) for place in range(len(means))])


@pytest.mark.parametrize(
    ("means", "scales", "changing", "verdict"),
    [
        ([[0, 0], [0, 0]], [[1, 1], [1, 1]], [False, False], "violated"),
        ([[0, 0], [2, 0]], [[1, 1], [1, 1]], [True, False], "doubtful"),
        ([[0, 0], [0, 0]], [[1, 1], [3, 0.2]], [True, True], "holds"),
        ([[0]] * 20, [[1]] * 20, [False], "violated"),
    ],
)
def test_only_latents_with_moments_of_their_own_change(means, scales, changing, verdict):
    found = changes(means, scales)
    assert [entry.changes for entry in found.latents] == changing
    assert found.verdict == verdict


def test_the_gain_is_what_moments_of_their_own_are_worth():
    found = changes([[-1], [1]], [[0.5], [0.5]], rows=40_000).latents[0]
    # Variance 1.25 over all rows and 0.25 in each domain.
    assert found.gain == pytest.approx(0.5 * np.log(5), abs=0.02)
    np.testing.assert_allclose(found.means, np.array([-1, 1]) / np.sqrt(1.25), atol=0.02)
    np.testing.assert_allclose(found.deviations, 0.5 / np.sqrt(1.25), atol=0.02)


def test_a_latent_that_is_constant_in_a_domain_has_numbers():
    y, u = labelled(400, np.array([[0.0], [1.0]]), np.zeros((2, 1)), 0)
    found = domain_changes((y, u), (y, u), "site", ["a", "b"])
    assert found.latents[0].gain > 1
