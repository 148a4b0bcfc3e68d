import torch

from pdgmm.methods.flow.regressed_start import regressed_start
from pdgmm.methods.spike_slab.spike_slab_prior import SpikeSlabPrior


def test_the_start_is_the_least_squares_map_with_the_spikes_of_the_code():
    random = torch.Generator().manual_seed(0)
    resting = torch.rand(20_000, 3, generator=random) < torch.tensor([0.3, 0.5, 0.7])
    code = torch.where(resting, 2.0, 2.0 + torch.randn(20_000, 3, generator=random))
    true = torch.tensor([[1.0, 0.4, 0.0], [-0.3, 1.0, 0.5], [0.2, 0.0, 1.0]])
    white = (code - code.mean(0)) @ torch.linalg.inv(true).T + 0.01 * torch.randn(20_000, 3, generator=random)
    one = torch.ones(3, 1)
    rough = SpikeSlabPrior(0.5 * one, 2 * one, 0.3 * one, 2 * one, one)

    unmixing, prior = regressed_start(white, code, rough)

    torch.testing.assert_close(unmixing, true, atol=0.01, rtol=0)
    torch.testing.assert_close(prior.spikes.weight[:, 0], torch.tensor([0.3, 0.5, 0.7]), atol=0.05, rtol=0)
    # The map goes through the mean, so a code that rests at 2 rests at 2 minus its mean.
    torch.testing.assert_close(prior.spikes.centre[:, 0], 2 - code.mean(0), atol=0.02, rtol=0)


def test_the_start_is_the_same_to_the_bit_whatever_memory_it_is_given():
    random = torch.Generator().manual_seed(1)
    white, code = torch.randn(2, 20_000, 8, generator=random).unbind()
    prior = SpikeSlabPrior.wide(8)
    first, _ = regressed_start(white, code, prior)
    kept = []
    for size in range(1_000, 60_000, 7_000):
        kept.append(torch.empty(size, dtype=torch.uint8))
        again, _ = regressed_start(white, code, prior)
        assert torch.equal(first, again)
