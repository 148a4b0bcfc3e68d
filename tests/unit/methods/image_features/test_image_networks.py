"""Networks that reconstruct images."""

import numpy as np
import pytest
import torch

from pdgmm.methods.image_features.image_networks import CnnNetwork, KeypointNetwork
from pdgmm.models.image_model import BATCH_ROWS, ImageEncoder
from pdgmm.models.model_files import FittedModel, load_model, save_model

ARGUMENTS = {"keypoints": {"points": 3, "channels": 8, "blob": 0.05}, "cnn": {}}
CODES = {"keypoints": 6, "cnn": 128}
every_network = pytest.mark.parametrize("name", list(ARGUMENTS))


def encoder(name):
    torch.manual_seed(0)
    return ImageEncoder(name, [64, 64, 3], ARGUMENTS[name])


def rows(count):
    return np.random.default_rng(0).integers(0, 256, (count, 64 * 64 * 3)).astype(np.uint8)


@every_network
def test_codes_and_images_have_their_shapes(name):
    one = encoder(name)
    code = one.encode(rows(3))
    assert code.shape == (3, CODES[name])
    drawn = one.decode(code)
    assert drawn.shape == (3, 64 * 64 * 3)
    assert drawn.min() >= 0
    assert drawn.max() <= 255


@every_network
def test_saved_and_restored_it_encodes_the_same_bits(name, tmp_path):
    one = encoder(name)
    one.network.to(memory_format=torch.channels_last)
    save_model(tmp_path, FittedModel(one, None, {}))
    restored = load_model(tmp_path).usable()
    np.testing.assert_array_equal(restored.encode(rows(5)), one.encode(rows(5)))


def test_a_row_is_the_same_in_any_company():
    one = encoder("keypoints")
    together = one.encode(rows(BATCH_ROWS + 2))
    np.testing.assert_allclose(one.encode(rows(BATCH_ROWS + 2)[-1:]), together[-1:], atol=1e-5)


def test_a_sharp_heat_map_gives_its_own_place():
    network = KeypointNetwork((8, 8, 3), points=1, channels=4, blob=0.1).train(False)
    heat = torch.full((1, 1, 4, 4), -50.0)
    heat[0, 0, 3, 1] = 50.0  # fourth row, second column of a grid of 4 x 4
    network.find = torch.nn.Sequential()
    network.find.forward = lambda _: heat
    np.testing.assert_allclose(network.encode(torch.zeros(1, 3, 8, 8)), [[1.5 / 4, 3.5 / 4]], atol=1e-5)


def test_the_network_of_the_paper_has_its_layers():
    network = CnnNetwork((64, 64, 3))
    shapes = [tuple(layer.weight.shape) for layer in network.down if hasattr(layer, "weight")]
    assert shapes == [(32, 3, 3, 3), (64, 32, 3, 3), (64, 64, 3, 3), (128, 64, 3, 3), (128, 128, 3, 3)]
    shapes = [tuple(layer.weight.shape) for layer in network.up if hasattr(layer, "weight")]
    assert shapes == [(128, 128, 2, 2), (128, 64, 2, 2), (64, 64, 2, 2), (64, 32, 2, 2), (32, 3, 4, 4)]
