import torch

from pdgmm.methods.spike_slab.affine_climb import LIKELIHOOD_TOLERANCE, climb, log_likelihood
from pdgmm.methods.spike_slab.affine_search import random_orthogonal, solve
from pdgmm.methods.spike_slab.spike_slab import SpikeSlab
from pdgmm.methods.spike_slab.spike_slab_prior import SpikeSlabPrior, WidthBounds

NARROW = WidthBounds(torch.tensor(0.1), torch.tensor(0.15))


def masked_latents(n=5, count=4000, masked_at=0.0, seed=0):
    generator = torch.Generator().manual_seed(seed)
    active = torch.rand(n, count, generator=generator) < 0.5
    return torch.where(active, torch.randn(n, count, generator=generator), masked_at)


def white(z):
    z = z - z.mean(1, keepdim=True)
    values, vectors = torch.linalg.eigh(z @ z.T / z.shape[1])
    return (vectors / values.sqrt()).T @ z


def worst_match(a, b):
    """The smallest of the largest correlations of the rows of ``a`` with those of ``b``."""
    return torch.corrcoef(torch.cat([a, b]))[: len(a), len(a) :].abs().amax(1).min()


def test_the_likelihood_never_falls_and_single_precision_is_enough():
    x = white(masked_latents())
    starts = random_orthogonal(6, 5, torch.Generator().manual_seed(1))
    single = climb(x, starts, SpikeSlabPrior.wide(6, 5), [NARROW] * 40)
    assert single.log_likelihoods.diff(dim=0).min() >= -2 * LIKELIHOOD_TOLERANCE
    final = log_likelihood(x, single.unmixing, single.prior)
    assert (final >= single.log_likelihoods[-1] - 2 * LIKELIHOOD_TOLERANCE).all()
    wide = SpikeSlabPrior.wide(6, 5, dtype=torch.float64)
    double = climb(x.double(), starts.double(), wide, [NARROW] * 40)
    last = [result.log_likelihoods[-1].double() for result in (single, double)]
    torch.testing.assert_close(*last, atol=1e-3, rtol=0)


def test_latents_masked_at_any_value_are_found():
    for masked_at in (0.0, 2.0):
        z = masked_latents(masked_at=masked_at)
        x = white(torch.linalg.qr(torch.randn(5, 5, generator=torch.Generator().manual_seed(2))).Q @ z)
        solution = solve(x, SpikeSlab(), torch.Generator().manual_seed(0))
        assert worst_match(z, solution.unmixing @ x) > 0.99
        assert len(solution.start_log_likelihoods) == 8
        torch.testing.assert_close(solution.prior.spikes.weight, torch.full((5, 1), 0.5), atol=0.1, rtol=0)


def test_a_given_start_takes_part_in_the_final():
    z = masked_latents()
    x = white(z)
    truth = torch.linalg.lstsq(x.T, (z - z.mean(1, keepdim=True)).T).solution.T
    plan = SpikeSlab(starts=1, directions_per_latent=0, search_iterations=1, final_iterations=10)
    given = truth, SpikeSlabPrior.wide(5)
    solution = solve(x, plan, torch.Generator().manual_seed(0), given=given)
    assert len(solution.finalist_log_likelihoods) == 2
    assert solution.finalist_log_likelihoods[1] > solution.finalist_log_likelihoods[0]
    assert worst_match(z, solution.unmixing @ x) > 0.99
