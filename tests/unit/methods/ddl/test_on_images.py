"""VAEs with and without penalties read the rows of grey values of sprites."""

import numpy as np
import pytest

from pdgmm.data.sprites import Sprites
from pdgmm.fitting.run import Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods import method_class

SMALL = {"steps": 2, "standardise": False, "encoder_units": [8], "decoder_units": [8], "batch_size": 32}


@pytest.mark.parametrize("name", ["vae", "ddl_as_published", "hessian_penalty", "orojar"])
def test_images_are_encoded_and_drawn_again(name):
    images = Sprites(size=12).build(100).sample("train", 64, np.random.default_rng(100))["x"]
    model = method_class(name)(**SMALL).fit(Samples(images, 5), Run(seed=100)).model
    codes = model.encode(images)
    assert codes.shape == (64, 5)
    assert model.decode(codes).shape == images.shape
    assert np.isfinite(codes).all()
