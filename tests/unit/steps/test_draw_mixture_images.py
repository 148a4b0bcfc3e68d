"""Figures of what the components of a fit's mixture look like."""

import numpy as np
import pytest

from pdgmm.errors import UserError
from pdgmm.evaluation.mixture_distance import GaussianMixture
from pdgmm.models.affine_model import AffineModel
from pdgmm.models.model_files import FittedModel, save_model
from pdgmm.steps import draw_mixture_images as step
from pdgmm.store import hdf5

PIXELS = (10, 53)
"""Each latent of the model is one pixel."""
CLAIMS = {
    "mixture_weights": np.array([0.3, 0.3, 0.4]),
    "mixture_means": np.array([[0.1, 0.9], [0.9, 0.1], [50.0, 50.0]]),
    "mixture_covariances": np.stack([1e-4 * np.eye(2), 4e-2 * np.eye(2), 1e-4 * np.eye(2)]),
}


@pytest.fixture
def run(tmp_path, digits, save_codes):
    """A dataset and a fit whose images have one bright pixel; ``run(claims)``, or ``run(failed=True)``."""

    def made(claims=CLAIMS, *, failed=False):
        matrix = np.zeros((2, 64))
        matrix[range(2), PIXELS] = 1
        save_model(tmp_path / "vade", FittedModel(AffineModel(np.zeros(64), matrix), None, {}, claims))
        # Three images in the first component, the others in the second, and none in the third.
        codes = np.where(np.arange(30)[:, None] < 3, [[0.1, 0.9]], [[0.9, 0.1]])
        return digits, save_codes("vade", None if failed else codes)

    return made


@pytest.fixture
def figure(record_calls):
    """The arguments of the figure that is drawn."""
    return record_calls(step, "draw_components")


def test_a_row_has_images_of_its_component_and_held_out_images_beside_their_reconstructions(
    run, figure, tmp_path
):
    dataset, latents = run()
    step.draw_mixture_images(dataset, latents, tmp_path / "components")
    title, blocks, names = figure[0]
    assert title == "digits, seed 0, vade"
    assert names == ["1.00 (27)", "1.00 (3)", "– (0)"]
    with hdf5.opened(dataset, "dataset") as file:
        x = file["test/x"][()]
    for (samples, pairs), mean, spread, shown in (
        (blocks[0], [0.9, 0.1], 0.2, [3, 9, 15, 21]),
        (blocks[1], [0.1, 0.9], 0.01, [0, 1, 2]),
    ):
        lit = samples.reshape(6, 64)
        np.testing.assert_allclose(lit[:, PIXELS], [mean] * 6, atol=4 * spread)
        assert lit[:, PIXELS].std() > spread / 4
        assert not np.delete(lit, PIXELS, axis=1).any()
        pairs = pairs[: 2 * len(shown)].reshape(len(shown), 2, 64)
        np.testing.assert_allclose(pairs[:, 0], x[shown])
        np.testing.assert_allclose(pairs[:, 1, PIXELS], [mean] * len(shown))
    assert (blocks[1][1][6:] == 1).all()  # the place of the fourth pair is white
    assert (blocks[2][1] == 1).all()
    assert (tmp_path / "components.svg").exists()
    assert (tmp_path / "components.png").stat().st_size > 1000


def test_the_surest_component_comes_first_and_probabilities_are_bayes_rule():
    mixture = GaussianMixture(np.array([0.5, 0.5]), np.array([[-1.0], [1.0]]), np.array([[[1.0]], [[1.0]]]))
    first, second = step.assigned(mixture, np.array([[-0.1], [2.0], [3.0]]))
    assert (first.component, second.component) == (1, 0)
    assert second.confidence == pytest.approx(1 / (1 + np.exp(-0.2)))
    assert first.confidence == pytest.approx(np.mean(1 / (1 + np.exp([-4.0, -6.0]))))
    assert first.images.tolist() == [1, 2]


def test_a_method_without_a_mixture_is_a_user_error(run, tmp_path):
    with pytest.raises(UserError, match="vade claims no mixture for its code: take it out"):
        step.draw_mixture_images(*run({}), tmp_path / "components")


def test_a_failed_fit_shows_its_reason(run, figure, tmp_path):
    step.draw_mixture_images(*run(failed=True), tmp_path / "components")
    assert "the fit failed: it diverged" in figure[0][0]
    assert figure[0][1] == []
    assert (tmp_path / "components.png").exists()
