from dataclasses import replace

import numpy as np
import pytest
import torch

from pdgmm.data.block_masks import BlockMaskedScm
from pdgmm.data.masked_scm import MaskedScm
from pdgmm.evaluation.mcc import mcc
from pdgmm.fitting.run import Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods.flow import flow_fitting, flow_training
from pdgmm.methods.flow.flow import Flow
from pdgmm.methods.spike_slab.spike_slab import SpikeSlab
from pdgmm.models.coupling_flow import CouplingFlow

TINY = Flow(steps=20, batch_size=64, blocks=2, width=8, turns=1)


def flow_and_affine(seed, count, flow, n, **settings):
    """The flow's model, its run, the observations, and the MCC of flow and affine map."""
    drawn = MaskedScm(n=n, **settings).build(seed).sample("train", count, np.random.default_rng(seed))
    data, run = Samples(drawn["x"], n), Run(seed=seed)
    models = flow.fit(data, run).model, SpikeSlab().fit(data, Run(seed=seed)).model
    scores = [mcc(drawn["z"], model.encode(drawn["x"])).mcc for model in models]
    return models[0], run, drawn["x"], *scores


@pytest.mark.parametrize(("n", "seed"), [(5, 100), (5, 101), (10, 100), (10, 101)])
def test_it_exceeds_its_affine_start(n, seed):
    small = Flow(steps=150, batch_size=512, blocks=4, width=32, turns=0)
    _, run, _, flow, affine = flow_and_affine(seed, 10_000, small, n)
    assert flow > affine + 0.003
    assert not run.notes["fell_back"]
    scores = [score for _, score in run.notes["held_out_log_likelihoods"]]
    assert max(scores) > scores[0]


def test_more_observed_dimensions_than_latents_are_unfolded():
    larger = Flow(steps=300, batch_size=512, blocks=6, width=32, turns=0)
    model, _, x, flow, affine = flow_and_affine(0, 20_000, larger, 4, x_dim=6)
    assert flow > affine
    assert np.square(model.decode(model.encode(x)) - x).mean() < 0.05 * x.var()


def test_decode_undoes_encode(sparse_x, data):
    model = TINY.fit(data, Run(seed=0)).model
    np.testing.assert_allclose(model.decode(model.encode(sparse_x)), sparse_x, atol=1e-4)


def test_it_falls_back_to_its_affine_start_when_held_out_samples_say_so(sparse_x, data, monkeypatch):
    class EverWorse:
        def __init__(self, *arguments):
            self._calls = 0

        def __call__(self, flow, prior):
            self._calls += 1
            return -float(self._calls)

    monkeypatch.setattr(flow_training, "HeldOutLikelihood", EverWorse)
    run = Run(seed=0)
    code = TINY.fit(data, run).model.encode(sparse_x)
    assert run.notes["fell_back"]
    design = np.column_stack([sparse_x, np.ones(len(sparse_x))])
    residual = code - design @ np.linalg.lstsq(design, code, rcond=None)[0]
    np.testing.assert_allclose(residual, 0, atol=1e-3)


def test_the_last_steps_are_under_the_mixture_of_the_patterns():
    small = Flow(steps=150, batch_size=512, blocks=4, width=32, turns=0)
    model, run, x, *_ = flow_and_affine(100, 10_000, small, 5, m=2)
    noted = run.notes["mixture"]
    assert noted["trained"]
    assert noted["patterns"] >= 5
    scores = [score for _, score in noted["held_out_log_likelihoods"]]
    assert max(scores) > scores[0]
    claims = small.fit(Samples(x, 5), Run(seed=100)).claims
    assert claims["supports"].shape == (noted["patterns"], 5)
    np.testing.assert_allclose(claims["support_weights"].sum(), 1, rtol=1e-5)
    without = Flow(steps=150, batch_size=512, blocks=4, width=32, turns=0, mixture=0).fit(
        Samples(x, 5), Run(seed=0)
    )
    assert not without.claims
    assert not np.allclose(without.model.encode(x[:50]), model.encode(x[:50]), atol=1e-3)


def test_patterns_that_held_out_samples_reject_are_not_claimed(data):
    run = Run(seed=0)
    assert TINY.fit(data, run).claims == {}
    assert not run.notes["mixture"]["trained"]


def test_a_second_start_that_finds_the_same_latents_is_not_trained():
    drawn = MaskedScm(n=4, m=1).build(100).sample("train", 5_000, np.random.default_rng(0))
    run = Run(seed=0)
    TINY.fit(Samples(drawn["x"], 4), run)
    assert list(run.notes["held_out_log_likelihood_by_start"]) == ["race"]


@pytest.mark.parametrize("better", ["race", "clusters"])
def test_of_two_starts_the_one_under_which_held_out_samples_are_much_likelier_is_kept(monkeypatch, better):
    drawn = MaskedScm(n=4, m=1).build(100).sample("train", 5_000, np.random.default_rng(0))
    found = flow_fitting.solve
    mixed = torch.linalg.qr(torch.randn(4, 4, generator=torch.Generator().manual_seed(0))).Q

    def right(white, *_):
        return found(white, SpikeSlab(), torch.Generator().manual_seed(0))

    def wrong(white, *_):
        return right(white)._replace(unmixing=mixed)

    solve, clusters = (right, wrong) if better == "race" else (wrong, right)
    monkeypatch.setattr(flow_fitting, "solve", solve)
    monkeypatch.setattr(flow_fitting, "start_from_clusters", clusters)
    run = Run(seed=0)
    model = Flow(steps=20, batch_size=64, blocks=2, width=8, turns=0).fit(Samples(drawn["x"], 4), run).model
    reached = run.notes["held_out_log_likelihood_by_start"]
    assert run.notes["chosen_start"] == better == max(reached, key=reached.get)
    assert run.notes["held_out_log_likelihood"] == reached[better]
    assert [row["step"] for row in run.history] == list(range(1, 21)), "the other one's history is not kept"
    assert mcc(drawn["z"], model.encode(drawn["x"])).mcc > 0.95


@pytest.mark.parametrize(("gap", "chosen"), [(0.3, "race"), (0.5, "clusters")])
def test_of_two_flows_that_are_about_as_likely_the_straighter_one_is_kept(monkeypatch, gap, chosen):
    drawn = MaskedScm(n=4, m=1).build(100).sample("train", 5_000, np.random.default_rng(0))
    trained_from = flow_fitting.trained_from

    def trained(start, material, run, **options):
        one = trained_from(start, material, run, **options)
        race = options["turns"] > 0
        return replace(one, log_likelihood=0.0 if race else gap, straightness=0.9 if race else 0.8)

    monkeypatch.setattr(flow_fitting, "trained_from", trained)
    monkeypatch.setattr(flow_fitting, "same_latents", lambda *_: False)
    run = Run(seed=0)
    TINY.fit(Samples(drawn["x"], 4), run)
    assert run.notes["straightness_by_start"] == {"race": 0.9, "clusters": 0.8}
    assert run.notes["chosen_start"] == chosen


def test_an_affine_flow_is_straight_and_a_bent_one_less():
    with torch.random.fork_rng():
        torch.manual_seed(0)
        flow, white = CouplingFlow(4, blocks=2, width=8), torch.randn(500, 4)
    flow.start_as(torch.randn(4, 4, generator=torch.Generator().manual_seed(1)), torch.ones(4))
    assert flow_training.straightness(flow, white, 3) == pytest.approx(1)
    with torch.no_grad():
        for parameter in flow.parameters():
            parameter += 0.3 * torch.randn(parameter.shape, generator=torch.Generator().manual_seed(2))
    assert flow_training.straightness(flow, white, 3) < 0.99


@pytest.mark.parametrize("seed", [100, 101])  # two starts agree on the first dataset, and none on the second
def test_with_few_samples_the_next_method_finds_what_it_finds_alone(seed: int):
    drawn = MaskedScm(n=10).build(seed).sample("train", 200, np.random.default_rng(seed))
    run = Run(seed=seed)

    code = Flow().fit(Samples(drawn["x"], 10), run).model.encode(drawn["x"])

    assert run.notes["starts_agreed"] == (seed == 100)
    after, alone = (SpikeSlab().fit(Samples(x, 10), Run(seed=0)).model.encode(x) for x in (code, drawn["x"]))
    np.testing.assert_array_equal(after, alone)


def test_a_large_block_of_latents_that_rest_together_is_not_bent():
    world = BlockMaskedScm(blocks=[1, 1, 2, 6]).build(100)
    x = world.sample("train", 20_000, np.random.default_rng(100))["x"]
    run = Run(seed=100)

    model = Flow(steps=20).fit(Samples(x, 10), run).model

    assert run.notes["largest_block"] == 6
    np.testing.assert_array_equal(model.encode(x), x)
