import numpy as np
import pytest
import torch

from pdgmm.errors import UserError
from pdgmm.models.network_model import BATCH_ROWS, CodingNetwork, NetworkModel


def rows(count, width=4):
    return np.random.default_rng(0).normal(size=(count, width)).astype(np.float32)


@pytest.mark.parametrize("count", [0, 20, BATCH_ROWS + 5])
def test_codes_in_batches_are_those_at_once_with_the_running_statistics(model, count):
    x = rows(count)
    expected = model.network.train(False).encode(torch.from_numpy(x)).detach().numpy()
    model.network.train()
    code = model.encode(x)
    assert code.dtype == np.float32
    assert code.shape == (count, 3)
    np.testing.assert_allclose(code, expected, rtol=1e-4, atol=1e-5)


def test_decode_mirrors_the_encoder(model):
    assert model.decode(rows(6, 3)).shape == (6, 4)


def test_float64_and_strided_input_is_fine(model):
    x = rows(30)
    np.testing.assert_array_equal(model.encode(x[::2].astype(np.float64)), model.encode(x[::2].copy()))


class Shifted(CodingNetwork):
    """Adds ``u`` to every row."""

    sees = ("u",)
    batch_rows = 7

    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.ones(()))

    def encode(self, x, u):
        return self.scale * x + u[:, None]


def test_side_variables_are_those_of_the_same_rows_and_a_network_may_have_no_decoder():
    model, x, u = NetworkModel(Shifted), rows(30), np.arange(30)
    assert model.sees == ("u",)
    np.testing.assert_allclose(model.encode(x, u=u), x + u[:, None], rtol=1e-6)
    with pytest.raises(UserError, match="Shifted has no decoder"):
        model.decode(x)
