"""The Fréchet distance between generated and held-out images."""

import numpy as np
import pytest
from scipy.linalg import sqrtm

from pdgmm.evaluation.base import ScoredSplit
from pdgmm.evaluation.generated_images import GeneratedImages, ImageFeatures, frechet_distance

RNG = np.random.default_rng(0)


def with_moments(mean, covariance, count=50):
    """Rows (count, d) whose mean and covariance are exactly these."""
    rows = RNG.normal(size=(count, len(mean)))
    rows -= rows.mean(axis=0)
    rows = rows @ np.linalg.inv(np.linalg.cholesky(np.cov(rows.T))).T
    return mean + rows @ np.linalg.cholesky(covariance).T


def test_the_distance_is_the_closed_form_of_two_gaussians():
    means = RNG.normal(size=(2, 4))
    roots = RNG.normal(size=(2, 4, 4))
    first, second = roots @ roots.swapaxes(1, 2)
    expected = np.square(means[0] - means[1]).sum() + np.trace(
        first + second - 2 * sqrtm(first @ second).real
    )
    found = frechet_distance(with_moments(means[0], first), with_moments(means[1], second))
    assert found == pytest.approx(expected)
    # Where covariances commute it is the sum of the squared differences of means and deviations.
    scales = RNG.uniform(0.5, 2, size=(2, 4))
    one, other = (with_moments(*both) for both in zip(means, [np.diag(s**2) for s in scales], strict=True))
    apart = np.square(means[0] - means[1]).sum() + np.square(scales[0] - scales[1]).sum()
    assert frechet_distance(one, other) == pytest.approx(apart)


def test_equal_samples_are_at_0_and_shifted_ones_at_the_square_of_the_shift():
    x, shift = RNG.normal(size=(200, 5)), np.arange(5.0)
    assert frechet_distance(x, x) == pytest.approx(0, abs=1e-9)
    assert frechet_distance(x, x + shift) == pytest.approx(np.square(shift).sum())


def test_features_are_principal_components_of_the_training_images():
    training = RNG.uniform(size=(300, 40))
    found = ImageFeatures(training)(training)
    assert found.shape == (300, 30)
    np.testing.assert_allclose(found.mean(axis=0), 0, atol=1e-9)
    covariance = np.cov(found.T)
    np.testing.assert_allclose(covariance, np.diag(np.diag(covariance)), atol=1e-8)


def test_images_of_the_same_law_beat_gaussian_ones_and_these_beat_noise():
    def images(count):
        """Two strokes, never both: no Gaussian draws that."""
        return np.where(RNG.integers(2, size=(count, 1)) == np.arange(16) % 2, 0.9, 0.1) ** RNG.uniform(
            1, 2, size=(count, 16)
        )

    truth = {"training_images": images(800), "held_out_images": images(400)}
    score = lambda x: GeneratedImages().scores(ScoredSplit(x, truth, {"generated": x}))  # noqa: E731
    good, noise = score(images(500)), score(RNG.uniform(size=(500, 16)))
    assert good["frechet"] < 3 * good["frechet_training"] < good["frechet_gaussian"] < noise["frechet"]
    assert good["frechet_gaussian"] == noise["frechet_gaussian"]
    assert score(truth["held_out_images"])["frechet"] == pytest.approx(0, abs=1e-9)
