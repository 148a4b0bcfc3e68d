"""The VAEs of diverse dictionary learning on data with a known support."""

import numpy as np
import pytest

from pdgmm.fitting.run import Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods import method_class

SMALL = {
    "steps": 200,
    "batch_size": 128,
    "encoder_units": [16],
    "decoder_units": [16],
    "learning_rate": 1e-2,
    "schedule": "cosine",
}


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    z = rng.normal(size=(2000, 2))
    x = np.column_stack([z[:, 0], 0.6 * z[:, 0] + 0.8 * z[:, 1]])
    return Samples((5 * x + 3).astype(np.float32), 2)


def fitted(name, data, **settings):
    run = Run(seed=100)
    return method_class(name)(**SMALL | settings).fit(data, run), run


def test_a_fit_claims_its_jacobian_in_standard_deviations(data):
    fit, run = fitted("vae", data)
    claimed = fit.claims["jacobian"]
    assert claimed.shape == (2, 2)
    # The code explains nearly all of every output, whose variance is 1.
    np.testing.assert_allclose(np.square(claimed).sum(axis=1), 1, atol=0.2)
    assert "penalty" not in run.notes["last_step"]


@pytest.mark.parametrize("name", ["ddl_as_published", "orojar", "hessian_penalty"])
def test_a_penalty_lowers_what_it_is_about(name, data):
    strong, weak = (
        fitted(name, data, steps=60, weight=weight)[1].notes["last_step"] for weight in (1.0, 1e-6)
    )
    assert strong["penalty"] < weak["penalty"]


def test_without_weight_it_is_the_plain_vae(data):
    none, plain = (
        fitted(name, data, steps=20, **more)[0].model.encode(data.array())
        for name, more in (("ddl_as_published", {"weight": 0.0}), ("vae", {}))
    )
    np.testing.assert_array_equal(none, plain)
