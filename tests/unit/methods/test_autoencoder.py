import numpy as np

from pdgmm.fitting.run import Run
from pdgmm.methods.autoencoder import Autoencoder

FAST = {"steps": 300, "batch_size": 200, "learning_rate": 5e-3}


def reconstruction_error(model, x):
    return np.square(model.decode(model.encode(x)) - x).mean()


def test_widths_are_multiples_of_the_number_of_latents(data):
    model = Autoencoder(widths=[3, 5], steps=1, extra_latents=2).fit(data, Run(seed=0)).model
    assert model.settings()["arguments"]["sizes"] == [4, 12, 20, 6]


def test_it_learns_to_reconstruct(data, sparse_x):
    model = Autoencoder(widths=[8], norm_weight=0.001, **FAST).fit(data, Run(seed=0)).model
    assert reconstruction_error(model, sparse_x) < 0.1 * sparse_x.var()


def test_the_decoder_meets_the_codes_it_was_trained_on(data, sparse_x):
    # A strong norm weight leaves codes of a small variance, of which moving weights make a large shift. How large
    # it is depends on the last digits of the processor's arithmetic: hence several fits.
    errors, training_errors = [], []
    for seed in range(6):
        run = Run(seed=seed)
        model = Autoencoder(widths=[8, 8], **FAST).fit(data, run).model
        errors.append(reconstruction_error(model, sparse_x))
        training_errors.append(np.mean([row["reconstruction"] for row in run.history[-15:]]))
    assert np.mean(errors) < 2 * np.mean(training_errors)


def test_the_loss_is_reconstruction_and_half_the_squared_norm_which_shrinks_the_code(data, sparse_x):
    sizes = []
    for weight in (0.0, 1.0):
        run = Run(seed=0)
        model = Autoencoder(widths=[4], **FAST | {"steps": 100}, norm_weight=weight).fit(data, run).model
        for row in run.history:
            assert np.isclose(row["loss"], row["reconstruction"] + weight * row["half_norm"])
        sizes.append(np.abs(model.encode(sparse_x)).mean())
    assert sizes[1] < 0.8 * sizes[0]
