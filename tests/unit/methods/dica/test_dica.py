"""The two stages of DICA, its network, and the training as published."""

import numpy as np
import pytest
import torch

from pdgmm.data.gene_regulation import GeneRegulation
from pdgmm.data.influence import Influence
from pdgmm.evaluation.component_r2 import component_r2
from pdgmm.fitting.run import Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods.dica.dica import Dica
from pdgmm.methods.dica.dica_as_published import DicaAsPublished, SparseJacobian
from pdgmm.methods.dica.dica_fitting import ENOUGH_REACH
from pdgmm.methods.dica.diverse_flow import flow_jacobian
from pdgmm.methods.dica.influence_network import InfluenceNetwork
from pdgmm.methods.dica.jacobian_training import jacobian_norm
from pdgmm.methods.dica.l1_rotation import L1Rotation
from pdgmm.models.affine_model import AffineModel
from pdgmm.models.coupling_flow import CouplingFlow
from pdgmm.models.model_files import FittedModel, load_model, save_model

RNG = np.random.default_rng(0)


@pytest.fixture
def network():
    torch.manual_seed(0)
    network = InfluenceNetwork(6, 3, [8, 5])
    network.scale_to(5 + 2 * RNG.normal(size=(100, 6)))
    network.into.normal_()
    network.out.normal_()
    return network


def test_the_jacobian_is_that_of_the_decoder(network):
    z = torch.randn(4, 3)
    y, jacobian = network.with_jacobian(z)
    torch.testing.assert_close(network.mean + network.scale * y, network.decode(z))
    expected = torch.func.vmap(torch.func.jacrev(lambda one: network.decode(one[None])[0]))(z)
    torch.testing.assert_close(network.scale * jacobian, expected, rtol=1e-4, atol=1e-5)


def test_a_turn_of_the_code_keeps_the_reconstruction(network):
    x, linear = torch.randn(4, 6), torch.randn(3, 3) + 2 * torch.eye(3)
    with torch.no_grad():
        code, decoded = network.encode(x), network.decode(network.encode(x))
        before = network.with_jacobian(code)[1]
        network.turn(linear)
        torch.testing.assert_close(network.encode(x) @ linear.T, code, rtol=1e-4, atol=1e-4)
        torch.testing.assert_close(network.decode(network.encode(x)), decoded, rtol=1e-4, atol=1e-4)
        after = network.with_jacobian(network.encode(x))[1]
    torch.testing.assert_close(after, before @ linear, rtol=1e-3, atol=1e-4)


def test_the_jacobian_of_a_flow_has_its_determinant():
    torch.manual_seed(0)
    flow = CouplingFlow(3, blocks=2, width=8)
    for parameter in flow.parameters():
        parameter.data += 0.1 * torch.randn_like(parameter)
    z = torch.randn(5, 3)
    log_det = torch.linalg.slogdet(flow_jacobian(flow, z)).logabsdet
    torch.testing.assert_close(log_det, flow(z)[1], rtol=1e-3, atol=1e-4)


def test_genes_of_one_layer_need_only_principal_components():
    world = GeneRegulation(genes=60).build(100)
    cells = world.sample("train", 500, np.random.default_rng(0))
    data, run = Samples(cells["x"], 5), Run(seed=100)
    deep = Dica(steps=20, units=[8], jacobians=8).fit(data, run).model
    assert run.notes["fell_back"]
    assert isinstance(deep, AffineModel)
    simple = L1Rotation().fit(data, Run(seed=100)).model
    for model in (deep, simple):
        assert component_r2(cells["z"], model.encode(cells["x"]))[0].min() > 0.99


def test_curved_data_keep_the_network_and_a_flow_keeps_its_reconstruction(tmp_path):
    s = RNG.uniform(-1, 1, size=(600, 2))
    angles = np.pi * s[:, :, None] * [0.5, 1.0, 1.5]
    x = np.concatenate([np.sin(angles), np.cos(angles)], axis=2).reshape(600, 12).astype(np.float32)
    decoded = []
    for flow_steps in (0, 5):
        settings = Dica(steps=400, units=[16], jacobians=16, starts=2, sweeps=20, flow_steps=flow_steps)
        run = Run(seed=100)
        fit = settings.fit(Samples(x, 2), run)
        assert not run.notes["fell_back"]
        assert run.notes["held_out_errors"][1] < run.notes["held_out_errors"][0]
        save_model(tmp_path, FittedModel(fit.model, None, run.notes))
        restored = load_model(tmp_path).usable()
        code = fit.model.encode(x)
        np.testing.assert_array_equal(restored.encode(x), code)
        decoded.append(restored.decode(code))
        if not flow_steps:
            np.testing.assert_allclose(code.std(axis=0), 1, rtol=0.1)
    np.testing.assert_allclose(decoded[1], decoded[0], atol=1e-3)
    first, last = run.notes["flow_criteria"]
    assert np.isfinite([first, last]).all()


def test_both_readings_of_the_norm():
    jacobian = torch.tensor([[[1.0, -2.0], [0.5, 0.0], [-1.0, -1.0]]])
    assert jacobian_norm(jacobian, "sum").tolist() == [5.5]
    assert jacobian_norm(jacobian, "row").tolist() == [3.0]


def test_the_published_loss_warms_up_and_then_bounds_the_norm():
    data = Samples(RNG.normal(size=(200, 6)), 2)
    run = Run(seed=100)
    settings = {"units": [4], "batch_size": 50, "norm_weight": 0.5, "volume_weight": 1.0}
    DicaAsPublished(steps=40, warmup=0.5, **settings).fit(data, run)
    norms = [row["norm"] / 0.5 for row in run.history]
    assert run.notes["bound"] == pytest.approx(np.mean(norms[18:20]), rel=1e-5)
    # After the warm-up the norm is about the bound, and softplus(0) = log 2.
    assert norms[20] == pytest.approx(np.log(2), abs=0.3)


def test_a_weight_of_zero_is_a_plain_autoencoder():
    data, runs = Samples(RNG.normal(size=(200, 6)), 2), [Run(seed=100), Run(seed=100)]
    for weight, run in zip((0.0, 1.0), runs, strict=True):
        SparseJacobian(units=[4], steps=30, batch_size=50, norm_weight=weight).fit(data, run)
    assert runs[0].history[-1]["norm"] == 0
    assert runs[1].history[-1]["reconstruction"] > runs[0].history[-1]["reconstruction"]


def test_the_fit_tells_which_criterion_is_right():
    diverse = Influence(n=3, x_dim=60).build(100).sample("train", 500, np.random.default_rng(0))
    genes = GeneRegulation(genes=60).build(100).sample("train", 500, np.random.default_rng(0))
    runs = []
    for cells in (diverse, genes):
        runs.append(Run(seed=100))
        data = Samples(cells["x"], cells["z"].shape[1])
        model = Dica(steps=20, units=[8]).fit(data, runs[-1]).model
        assert component_r2(cells["z"], model.encode(cells["x"]))[0].mean() > 0.99
    assert [run.notes["criterion"] for run in runs] == ["row_l1", "l1"]
    assert runs[0].notes["reach"] > ENOUGH_REACH > runs[1].notes["reach"]
