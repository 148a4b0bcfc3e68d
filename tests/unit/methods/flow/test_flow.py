import numpy as np
import pytest
import torch

from pdgmm.data.masked_scm import MaskedScm
from pdgmm.evaluation.mcc import mcc
from pdgmm.fitting import training_loop as training
from pdgmm.fitting.run import Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods.flow import flow_fitting as fitting
from pdgmm.methods.flow.flow import Flow
from pdgmm.methods.flow.flow_learner import FlowLearner
from pdgmm.methods.spike_slab.spike_slab import SpikeSlab
from pdgmm.models.flow_model import FlowModel

TINY = Flow(steps=20, batch_size=64, blocks=2, width=8, turns=1)
SMALL = Flow(steps=150, batch_size=512, blocks=4, width=32, turns=0)


def samples_of(seed, count=10_000, **settings):
    return MaskedScm(**settings).build(seed).sample("train", count, np.random.default_rng(seed))


@pytest.mark.parametrize("n", [5, 10])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_it_exceeds_its_affine_start(n, seed):
    data = samples_of(seed, n=n)
    observations, run = Samples(data["x"], n), Run(seed=seed)
    code = SMALL.fit(observations, run).encode(data["x"])
    affine = SpikeSlab().fit(observations, Run(seed=seed)).encode(data["x"])
    assert mcc(data["z"], code).mcc > mcc(data["z"], affine).mcc + 0.003
    assert not run.notes["fell_back"]
    scores = [score for _, score in run.notes["held_out_log_likelihoods"]]
    assert max(scores) > scores[0]


def test_decode_undoes_encode(sparse_x, data):
    encoder = TINY.fit(data, Run(seed=0))
    np.testing.assert_allclose(encoder.decode(encoder.encode(sparse_x)), sparse_x, atol=1e-4)


def test_an_encoder_is_rebuilt_from_its_settings_and_tensors(sparse_x, data):
    encoder = TINY.fit(data, Run(seed=0))
    rebuilt = FlowModel.restore(encoder.settings(), encoder.tensors())
    np.testing.assert_array_equal(rebuilt.encode(sparse_x), encoder.encode(sparse_x))


def test_it_falls_back_to_its_affine_start_when_held_out_samples_say_so(sparse_x, data, monkeypatch):
    class EverWorse:
        def __init__(self, *arguments):
            self._calls = 0

        def __call__(self, flow, prior):
            self._calls += 1
            return -float(self._calls)

    monkeypatch.setattr(fitting, "HeldOutLikelihood", EverWorse)
    run = Run(seed=0)
    code = TINY.fit(data, run).encode(sparse_x)
    assert run.notes["fell_back"]
    design = np.column_stack([sparse_x, np.ones(len(sparse_x))])
    residual = code - design @ np.linalg.lstsq(design, code, rcond=None)[0]
    np.testing.assert_allclose(residual, 0, atol=1e-3)


def test_more_observed_dimensions_than_latents_are_unfolded():
    data = samples_of(0, count=20_000, n=4, x_dim=6)
    observations = Samples(data["x"], 4)
    encoder = Flow(steps=300, batch_size=512, blocks=6, width=32, turns=0).fit(observations, Run(seed=0))
    code = encoder.encode(data["x"])
    affine = SpikeSlab().fit(observations, Run(seed=0)).encode(data["x"])
    assert code.shape == (len(code), 4)
    assert mcc(data["z"], code).mcc > mcc(data["z"], affine).mcc
    error = np.square(encoder.decode(code) - data["x"]).mean() / data["x"].var()
    assert error < 0.05


class Crash(Exception):
    """Stands for a kill."""


def test_a_killed_fit_resumes_to_the_same_bits(sparse_x, data, tmp_path, monkeypatch):
    expected_run = Run(seed=0)
    expected = TINY.fit(data, expected_run).encode(sparse_x)
    monkeypatch.setenv(training.CHECKPOINT_EVERY_STEPS, "4")
    steps = FlowLearner.step

    def dies_at_15(learner, batch):
        if learner.state_dict()["step"] == 15:
            raise Crash
        return steps(learner, batch)

    run = Run(seed=0, checkpoint=tmp_path / "checkpoint", checkpoint_key="flow")
    monkeypatch.setattr(FlowLearner, "step", dies_at_15)
    with pytest.raises(Crash):
        TINY.fit(data, run)
    monkeypatch.setattr(FlowLearner, "step", steps)
    resumed = Run(seed=0, checkpoint=tmp_path / "checkpoint", checkpoint_key="flow")
    np.testing.assert_array_equal(TINY.fit(data, resumed).encode(sparse_x), expected)
    assert resumed.notes == expected_run.notes


def test_training_leaves_torch_random_numbers_alone(data):
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    TINY.fit(data, Run(seed=0))
    torch.testing.assert_close(torch.rand(3), expected)


def test_with_few_latents_the_better_of_two_trainings_is_kept(sparse_x, data, monkeypatch):
    both = Run(seed=0)
    TINY.fit(data, both)
    assert len(both.notes["tries"]) == 2
    kept = max(score for _, score in both.notes["held_out_log_likelihoods"])
    assert kept == max(both.notes["tries"])
    monkeypatch.setattr(fitting, "MOST_TRIES", 1)
    alone = Run(seed=0)
    TINY.fit(data, alone)
    assert alone.notes["tries"] == both.notes["tries"][:1]
