import pytest
import torch
from scipy.stats import norm

from pdgmm.methods.spike_slab.blocks import blocks_of
from pdgmm.methods.spike_slab.joint_slab import JointSlabPrior


@pytest.fixture
def resting():
    """Probabilities to rest of five latents, the first, third and last of which rest together."""
    generator = torch.Generator().manual_seed(0)
    own = (torch.rand(5, 4000, generator=generator) < 0.5).float()
    own[2] = own[4] = own[0]
    return 0.1 + 0.8 * own + 0.1 * torch.rand(5, 4000, generator=generator)


def test_latents_that_rest_together_are_a_block(resting):
    expected = torch.eye(5)
    expected[0] = torch.tensor([1.0, 0, 1, 0, 1])
    expected[2] = expected[4] = 0
    torch.testing.assert_close(blocks_of(resting), expected)


def test_a_chain_of_ties_is_one_block_and_constants_are_alone(resting):
    resting[3] = (resting[0] + resting[1]) / 2  # tied to both, which are not tied to each other
    resting[2] = resting[4] = 1.0
    found = blocks_of(resting)
    assert found[0].tolist() == [1, 1, 0, 1, 0]
    assert found.sum(1).tolist() == [3, 0, 1, 0, 1]
    assert blocks_of(resting[:1]).tolist() == [[1.0]]


def test_the_density_of_a_block_is_one_spike_or_one_slab():
    prior = JointSlabPrior(3).double()
    with torch.no_grad():
        for parameter in prior.parameters():
            parameter.copy_(0.3 * torch.randn(parameter.shape, generator=torch.Generator().manual_seed(1)))
    prior.membership.copy_(torch.tensor([[1.0, 0, 1], [0, 1, 0], [0, 0, 0]]))
    y = torch.randn(50, 3, dtype=torch.float64, requires_grad=True)
    with torch.no_grad():
        rest, width = prior.centre, prior.widths(0.05)
        mean = prior.mean + (y - rest) @ torch.tril(prior.dependence, -1).T
        spike = torch.from_numpy(norm(rest, width).pdf(y.numpy()))
        slab = torch.from_numpy(norm(mean, prior.log_scale.exp()).pdf(y.numpy()))
        both = torch.sigmoid((prior.log_odds[0] + prior.log_odds[2]) / 2)
        alone = torch.sigmoid(prior.log_odds[1])
        block = both * spike[:, 0] * spike[:, 2] + (1 - both) * slab[:, 0] * slab[:, 2]
        expected = block.log() + (alone * spike[:, 1] + (1 - alone) * slab[:, 1]).log()
    found = prior.log_density(y, 0.05)
    torch.testing.assert_close(found.detach(), expected)
    assert torch.autograd.gradcheck(lambda y: prior.log_density(y, 0.05), y[:5])


def test_without_blocks_the_density_is_a_product():
    prior = JointSlabPrior(3)
    y = torch.randn(20, 3)
    assert not prior.has_blocks
    alone = prior.log_density(y, 0.05)
    prior.membership.copy_(torch.tensor([[1.0, 1, 0], [0, 0, 0], [0, 0, 1]]))
    assert prior.has_blocks
    assert (prior.log_density(y, 0.05) < alone).any()
