"""Networks that reconstruct images."""

import numpy as np
import pytest
import torch

from pdgmm.methods.image_features.image_networks import CnnNetwork, ImageNetwork, KeypointNetwork
from pdgmm.models.network_model import NetworkModel


def model(kind=KeypointNetwork):
    torch.manual_seed(0)
    arguments = {"points": 3, "channels": 8, "blob": 0.05} if kind is KeypointNetwork else {}
    return NetworkModel(kind, image_shape=[64, 64, 3], **arguments)


def rows(count):
    return np.random.default_rng(0).integers(0, 256, (count, 64 * 64 * 3)).astype(np.uint8)


@pytest.mark.parametrize(("kind", "code_dim"), [(KeypointNetwork, 6), (CnnNetwork, 128)])
def test_codes_and_images_have_their_shapes(kind, code_dim):
    one = model(kind)
    code = one.encode(rows(3))
    assert code.shape == (3, code_dim)
    drawn = one.decode(code)
    assert drawn.shape == (3, 64 * 64 * 3)
    assert 0 <= drawn.min() <= drawn.max() <= 255


def test_a_row_is_the_same_in_any_company():
    x = rows(ImageNetwork.batch_rows + 2)
    np.testing.assert_allclose(model().encode(x[-1:]), model().encode(x)[-1:], atol=1e-5)


def test_a_sharp_heat_map_gives_its_own_place():
    network = KeypointNetwork([8, 8, 3], points=1, channels=4, blob=0.1).train(False)
    heat = torch.full((1, 1, 4, 4), -50.0)
    heat[0, 0, 3, 1] = 50.0  # fourth row, second column of a grid of 4 x 4
    network.find = torch.nn.Sequential()
    network.find.forward = lambda _: heat
    np.testing.assert_allclose(network.encode(torch.zeros(1, 192)), [[1.5 / 4, 3.5 / 4]], atol=1e-5)


def test_the_network_of_the_paper_has_its_layers():
    network = CnnNetwork([64, 64, 3])
    down, up = (
        [tuple(layer.weight.shape) for layer in part if hasattr(layer, "weight")]
        for part in (network.down, network.up)
    )
    assert down == [(32, 3, 3, 3), (64, 32, 3, 3), (64, 64, 3, 3), (128, 64, 3, 3), (128, 128, 3, 3)]
    assert up == [(128, 128, 2, 2), (128, 64, 2, 2), (64, 64, 2, 2), (64, 32, 2, 2), (32, 3, 4, 4)]
