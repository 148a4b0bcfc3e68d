from dataclasses import replace

import numpy as np
import pytest

from pdgmm.data.segments import Segments
from pdgmm.errors import UserError
from pdgmm.evaluation.mcc import mcc
from pdgmm.fitting.run import Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods.ivae.ivae import Ivae, IvaeClasses

TURN = np.array([[1.0, 1.0], [-1.0, 1.0]]) / np.sqrt(2)
SMALL = {"encoder_units": [16], "decoder_units": [16], "batch_size": 200}


def test_segments_tell_latents_apart_that_x_alone_does_not():
    world = replace(Segments(segments=10, layers=1).world(100), mixing=lambda z: z @ TURN)
    drawn = world.sample("train", 3000, np.random.default_rng(0))
    side = {"u": drawn["u"]}
    linear = SMALL | {"encoder_units": [], "decoder_units": []}
    method = Ivae(steps=800, learning_rate=1e-2, noise_variance=0.05, encoder_sees_u=False, **linear)
    model = method.fit(Samples(drawn["x"], 2, side=side), Run(seed=0)).model
    told = mcc(drawn["z"], model.encode(drawn["x"])).mcc
    assert mcc(drawn["z"], drawn["x"]).mcc < 0.9
    assert told > 0.92


def test_the_class_version_encodes_without_the_class_and_draws_pixels():
    rng = np.random.default_rng(0)
    u = rng.integers(3, size=600)
    grey = np.clip(rng.random((3, 12))[u] + 0.1 * rng.normal(size=(600, 12)), 0, 1).astype(np.float32)
    run = Run(seed=0)
    model = (
        IvaeClasses(steps=300, **SMALL | {"learning_rate": 5e-3})
        .fit(Samples(grey, 2, side={"u": u}), run)
        .model
    )
    assert model.sees == ()
    assert run.notes["classes"] == 3
    decoded = model.decode(model.encode(grey))
    assert 0 <= decoded.min() <= decoded.max() <= 1
    assert np.square(decoded - grey).mean() < 0.5 * grey.var(axis=0).mean()


def test_values_that_are_no_grey_levels_are_a_user_error():
    x = np.random.default_rng(0).normal(size=(100, 3))
    with pytest.raises(UserError, match="`likelihood: binarised` is for values from 0 to 1"):
        IvaeClasses(steps=1, **SMALL).fit(Samples(x, 2, side={"u": np.arange(100) % 2}), Run(seed=0))
