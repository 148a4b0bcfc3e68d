"""A network model whose running statistics are not those it began with, in memory and on disk."""

import numpy as np
import pytest
import torch

from pdgmm.methods.autoencoder_training import LeakyAutoencoder
from pdgmm.models.model_files import FittedModel, save_model
from pdgmm.models.network_model import NetworkModel


@pytest.fixture
def model():
    torch.manual_seed(0)
    model = NetworkModel(LeakyAutoencoder, sizes=[4, 9, 3], slope=0.02)
    model.network.train().encode(torch.randn(50, 4))
    return model


@pytest.fixture
def folder(model, tmp_path):
    notes = {"seconds": 1.5, "by step": {10: 1, 9: 2}}
    save_model(tmp_path, FittedModel(model, None, notes, {"supports": np.eye(3, dtype=np.uint8).T[::-1]}))
    return tmp_path
