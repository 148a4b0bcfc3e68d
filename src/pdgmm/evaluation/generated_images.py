"""How close generated images are to held-out ones: a Fréchet distance in random features."""

import numpy as np

from pdgmm.evaluation.base import Column, Metric, ScoredSplit
from pdgmm.seeds import child_generator

RANDOM_FEATURES, KEPT = 512, 30


class ImageFeatures:
    """The leading 30 principal components of ``max(W (x - mean), 0)``; W (512, x_dim) are fixed draws of N(0, 1).

    ``mean`` and the principal components are those of the training images (samples, x_dim). Without the maximum the
    features would be linear, and the Fréchet distance would see means and covariances of pixels only.
    """

    def __init__(self, training: np.ndarray) -> None:
        rng = child_generator(0, "features of images")
        self._weights = rng.normal(size=(training.shape[1], RANDOM_FEATURES))
        self._mean = training.mean(axis=0)
        features = self._rectified(training)
        self._centre = features.mean(axis=0)
        self._directions = np.linalg.svd(features - self._centre, full_matrices=False)[2][:KEPT].T

    def _rectified(self, x: np.ndarray) -> np.ndarray:
        return np.maximum((x - self._mean) @ self._weights, 0)

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """The features (samples, 30) of images (samples, x_dim)."""
        return (self._rectified(x) - self._centre) @ self._directions


def frechet_distance(one: np.ndarray, other: np.ndarray) -> float:
    """``|m1 - m2|^2 + tr(C1 + C2 - 2 (C1 C2)^(1/2))`` of two samples (rows, d) with means m and covariances C.

    The squared Wasserstein distance of the Gaussians with these means and covariances (Dowson and Landau, 1982). The
    trace of ``(C1 C2)^(1/2)`` is that of ``(C1^(1/2) C2 C1^(1/2))^(1/2)``, the root of a symmetric matrix.
    """
    first, second = np.cov(one.T), np.cov(other.T)
    values, vectors = np.linalg.eigh(first)
    root = (vectors * np.sqrt(np.clip(values, 0, None))) @ vectors.T
    crossed = np.sqrt(np.clip(np.linalg.eigvalsh(root @ second @ root), 0, None)).sum()
    apart = np.square(one.mean(axis=0) - other.mean(axis=0)).sum()
    return max(float(apart + np.trace(first) + np.trace(second) - 2 * crossed), 0.0)


class GeneratedImages(Metric):
    """The Fréchet distance between generated and held-out images, as a share of the variance of the held-out ones.

    Features: :class:`ImageFeatures`, of images with values cut off at 0 and 1, as a picture shows them. It is not the
    FID, whose features are those of a large network for photographs, and cannot be compared with published values.
    The chance level is that of Gaussian draws with the mean and covariance of the training images. As many training
    images as generated ones show what a perfect generator reaches, which is not 0 for finitely many images.
    """

    truth = frozenset({"training_images", "held_out_images"})
    claims = frozenset({"generated"})
    section = "generated"
    section_title = "relative to the variance of held-out images"
    columns = (
        Column(
            "frechet",
            "Fréchet distance of generated images",
            "lower",
            chance="frechet_gaussian",
            chance_words="Gaussian draws with the mean and covariance of the training images",
        ),
        Column("frechet_training", "Fréchet distance of as many training images", "neither"),
    )

    def scores(self, split: ScoredSplit) -> dict[str, float]:
        training, held_out = split.truth["training_images"], split.truth["held_out_images"]
        generated = split.claims["generated"]
        features = ImageFeatures(training)
        real = features(held_out)
        spread = np.cov(real.T).trace()
        rng = child_generator(0, "Gaussian images")
        gaussian = rng.multivariate_normal(training.mean(axis=0), np.cov(training.T), size=len(generated))
        compared = {
            "frechet": generated,
            "frechet_gaussian": gaussian,
            "frechet_training": training[: len(generated)],
        }
        return {name: frechet_distance(features(x.clip(0, 1)), real) / spread for name, x in compared.items()}
