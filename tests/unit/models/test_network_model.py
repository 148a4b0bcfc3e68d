import numpy as np
import pytest
import torch

from pdgmm.errors import UserError
from pdgmm.models import encoder_class
from pdgmm.models.model_files import FittedModel, load_model, save_model
from pdgmm.models.network_model import BATCH_ROWS, NetworkModel


@pytest.fixture
def encoder():
    torch.manual_seed(0)
    encoder = NetworkModel([4, 9, 3], 0.02)
    encoder.module["encoder"].train()(torch.randn(50, 4))  # moves the running statistics
    return encoder


def rows(count, width=4):
    return np.random.default_rng(0).normal(size=(count, width)).astype(np.float32)


def test_encode_uses_the_running_statistics(encoder):
    code = encoder.encode(rows(20))
    assert code.dtype == np.float32
    assert code.shape == (20, 3)
    np.testing.assert_allclose(encoder.encode(rows(20)[3:4]), code[3:4], rtol=1e-4, atol=1e-6)


def test_encode_in_batches_is_encode_at_once(encoder):
    x = rows(BATCH_ROWS + 5)
    expected = encoder.module["encoder"].train(False)(torch.from_numpy(x)).detach().numpy()
    np.testing.assert_allclose(encoder.encode(x), expected, rtol=1e-4, atol=1e-5)


def test_no_rows_give_no_codes(encoder):
    assert encoder.encode(rows(0)).shape == (0, 3)


def test_decode_mirrors_the_encoder(encoder):
    assert encoder.decode(rows(6, 3)).shape == (6, 4)


def test_float64_and_strided_input_is_fine(encoder):
    x = rows(30)
    np.testing.assert_array_equal(encoder.encode(x[::2].astype(np.float64)), encoder.encode(x[::2].copy()))


def test_saved_and_restored_it_encodes_the_same_bits(encoder, tmp_path):
    save_model(tmp_path, FittedModel(encoder, None, {}))
    restored = load_model(tmp_path).usable()
    assert type(restored) is encoder_class("network")
    np.testing.assert_array_equal(restored.encode(rows(50)), encoder.encode(rows(50)))
    np.testing.assert_array_equal(restored.decode(rows(50, 3)), encoder.decode(rows(50, 3)))


def test_arrays_that_do_not_fit_are_a_user_error(encoder, tmp_path):
    encoder._sizes = [4, 10, 3]
    save_model(tmp_path, FittedModel(encoder, None, {}))
    with pytest.raises(UserError, match="does not fit"):
        load_model(tmp_path)
