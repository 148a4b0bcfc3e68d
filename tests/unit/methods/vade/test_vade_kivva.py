import numpy as np
import pytest

from pdgmm.errors import UserError
from pdgmm.fitting.run import Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods.vade.vade import Vade, VadeKivva


def test_the_defaults_are_those_of_the_paper():
    assert VadeKivva().size() == "750 + 1,000 steps of 100, 64-512-64 units, 3 components"
    model = (
        VadeKivva(pretraining_steps=1, steps=1)
        .fit(Samples(np.random.default_rng(0).normal(size=(200, 2)), 2), Run(seed=0))
        .model
    )
    shapes = [(layer.in_features, layer.out_features) for layer in model.network.decoder[::2]]
    assert shapes == [(2, 64), (64, 512), (512, 2)]


@pytest.mark.parametrize("update", ["gradient", "em"])
def test_the_claimed_mixture_is_that_of_the_codes(update):
    rng = np.random.default_rng(0)
    component = rng.choice(2, size=1500, p=[0.3, 0.7])
    x = np.array([[-3.0, 0.0], [3.0, 1.0]])[component] + rng.normal(size=(1500, 2)) * [0.5, 1.0]
    settings = {"components": 2, "hidden_units": [16], "learning_rate": 5e-3, "batch_size": 150}
    method = Vade(pretraining_steps=150, steps=200, mixture_update=update, em_every=20, **settings)
    fit = method.fit(Samples(x, 2), Run(seed=0))
    code, claims = fit.model.encode(x.astype(np.float32)), fit.claims
    order = np.argsort(claims["mixture_weights"])
    np.testing.assert_allclose(claims["mixture_weights"][order], [0.3, 0.7], atol=0.05)
    for place, share in enumerate((0, 1)):
        mean = code[component == share].mean(axis=0)
        np.testing.assert_allclose(claims["mixture_means"][order[place]], mean, atol=0.25)


def test_em_without_pretraining_is_a_user_error():
    with pytest.raises(UserError, match="set `pretraining_steps` above 0"):
        Vade(mixture_update="em", pretraining_steps=0).fit(Samples(np.zeros((10, 2)), 2), Run(seed=0))
