"""How much columns move with latents."""

import numpy as np

from pdgmm.analysis.diagnostics.sensitivity import sensitivity

RNG = np.random.default_rng(5)


def test_a_linear_decoder_gives_its_standardised_weights():
    weights = np.array([[2.0, 0.0, 1.0], [0.0, -3.0, 1.0]])
    latents = RNG.normal(size=(1000, 2)) * [1.0, 4.0]
    x = latents @ weights + 5.0
    found = sensitivity(lambda z: z @ weights + 5.0, latents, x, ["a", "b", "c"])
    expected = np.abs(weights) * latents.std(axis=0)[:, None] / x.std(axis=0)
    np.testing.assert_allclose(found.sensitivity, expected, atol=1e-9)
    assert found.sentence == "Most of all, latent 1 moves a; latent 2 moves b and c."


def test_a_curved_decoder_is_averaged_over_the_data():
    latents = RNG.normal(size=(299, 1))
    found = sensitivity(np.square, latents, latents**2, ["a"])
    expected = np.abs(2 * latents).mean() * latents.std() / (latents**2).std()
    np.testing.assert_allclose(
        found.sensitivity, expected, rtol=1e-9
    )  # central differences of squares are exact


def test_constant_columns_and_latents_do_not_move():
    latents = np.column_stack([RNG.normal(size=50), np.zeros(50)])
    x = np.column_stack([latents[:, 0], np.ones(50)])
    found = sensitivity(lambda z: np.column_stack([z[:, 0], np.ones(len(z))]), latents, x, ["a", "b"])
    np.testing.assert_allclose(found.sensitivity, [[1.0, 0.0], [0.0, 0.0]], atol=1e-9)
    assert "latent 2 moves nothing" in found.sentence
