import numpy as np

from pdgmm.fitting.run import Run
from pdgmm.methods.autoencoder import Autoencoder
from pdgmm.models.network_model import NetworkModel


def test_the_defaults_are_the_papers():
    stage = Autoencoder()
    assert stage.widths == [50, 100, 100, 50]
    assert (stage.learning_rate, stage.batch_size, stage.steps, stage.slope) == (1e-4, 6144, 5000, 0.02)


def test_widths_are_multiples_of_the_number_of_latents(data):
    encoder = Autoencoder(widths=[3, 5], steps=1, extra_latents=2).fit(data, Run(seed=0))
    assert isinstance(encoder, NetworkModel)
    assert encoder.settings()["sizes"] == [4, 12, 20, 6]


def test_it_learns_to_reconstruct(data, sparse_x):
    stage = Autoencoder(widths=[8], steps=300, batch_size=200, learning_rate=5e-3, norm_weight=0.001)
    encoder = stage.fit(data, Run(seed=0))
    error = np.square(encoder.decode(encoder.encode(sparse_x)) - sparse_x).mean()
    assert error < 0.1 * sparse_x.var()


def test_the_decoder_meets_the_codes_it_was_trained_on(data, sparse_x):
    # A strong norm weight leaves codes of a small variance, of which moving weights make a large shift. How large
    # it is depends on the last digits of the processor's arithmetic: hence several fits.
    stage = Autoencoder(widths=[8, 8], steps=300, batch_size=200, learning_rate=5e-3)
    errors, training_errors = [], []
    for seed in range(6):
        run = Run(seed=seed)
        encoder = stage.fit(data, run)
        errors.append(np.square(encoder.decode(encoder.encode(sparse_x)) - sparse_x).mean())
        training_errors.append(np.mean([row["reconstruction"] for row in run.history[-15:]]))
    assert np.mean(errors) < 2 * np.mean(training_errors)


def test_the_loss_is_reconstruction_and_half_the_squared_norm(data):
    run = Run(seed=0)
    Autoencoder(widths=[2], steps=5, norm_weight=0.3).fit(data, run)
    for row in run.history:
        assert np.isclose(row["loss"], row["reconstruction"] + 0.3 * row["half_norm"])


def test_the_norm_weight_shrinks_the_code(data, sparse_x):
    def size(weight):
        stage = Autoencoder(widths=[4], steps=100, batch_size=200, learning_rate=5e-3, norm_weight=weight)
        return np.abs(stage.fit(data, Run(seed=0)).encode(sparse_x)).mean()

    assert size(1.0) < 0.8 * size(0.0)
