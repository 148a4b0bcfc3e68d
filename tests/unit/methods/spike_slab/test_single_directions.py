import torch
from torch.nn.functional import normalize

from pdgmm.methods.spike_slab.single_directions import choose_directions, climb_directions
from pdgmm.methods.spike_slab.spike_slab_prior import WidthBounds


def test_copies_are_not_chosen_twice():
    directions = normalize(torch.tensor([[1.0, 0, 0], [1, 1e-3, 0], [0, 1, 0], [0, 1, 1], [0, 0, 1]]), dim=-1)
    chosen = choose_directions(directions, torch.tensor([5.0, 5, 1, 0.5, 0]))
    assert sorted(chosen.tolist()) in ([0, 2, 3], [1, 2, 3], [0, 2, 4], [1, 2, 4])


def test_directions_end_at_latents_that_are_mostly_active_and_dependent():
    generator = torch.Generator().manual_seed(0)
    z = torch.randn(4, 8000, generator=generator)
    z[1] += 0.8 * z[0]
    z = torch.where(torch.rand(4, 8000, generator=generator) < 0.75, z, 0.0)
    values, vectors = torch.linalg.eigh(torch.cov(z))
    x = (vectors / values.sqrt()).T @ z
    starts = normalize(torch.randn(40, 4, generator=generator), dim=-1)
    bounds = [WidthBounds(torch.tensor(width), torch.tensor(width)) for width in (0.5,) * 10 + (0.1,) * 20]
    directions, prior, likelihoods = climb_directions(x, starts, bounds)
    chosen = choose_directions(directions, likelihoods)
    correlations = torch.corrcoef(torch.cat([z, directions[chosen] @ x]))[:4, 4:].abs()
    assert correlations.amax(1).min() > 0.98
    torch.testing.assert_close(prior.weight[chosen], torch.full((4, 1), 0.25), atol=0.15, rtol=0)
