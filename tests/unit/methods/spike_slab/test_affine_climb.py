import torch

from pdgmm.methods.spike_slab import affine_search
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
        assert solution.agreed
        assert len(solution.starts) == len(solution.start_log_likelihoods) >= 2
        torch.testing.assert_close(solution.prior.spikes.weight, torch.full((5, 1), 0.5), atol=0.1, rtol=0)


def test_a_start_that_two_reached_ends_the_race_and_one_that_is_known_takes_part():
    z = masked_latents()
    x = white(z)
    truth = torch.linalg.lstsq(x.T, (z - z.mean(1, keepdim=True)).T).solution.T
    plan = SpikeSlab(starts=1, directions_per_latent=0, search_iterations=1, final_iterations=10)
    given = truth, SpikeSlabPrior.wide(5)
    solution = solve(x, plan, torch.Generator().manual_seed(0), given=given)
    assert solution.starts == ["given", "ica"]
    assert worst_match(z, solution.unmixing @ x) > 0.99


def test_the_race_goes_on_while_the_starts_disagree(monkeypatch):
    monkeypatch.setattr(affine_search, "SAME", 1.1)
    solution = solve(white(masked_latents()), SpikeSlab(starts=6), torch.Generator().manual_seed(0))
    assert not solution.agreed
    assert solution.starts == ["ica", "directions", *["random"] * 4, "directions", *["random"] * 2]


def test_many_latents_are_found_from_independent_components_alone():
    z = masked_latents(n=120, count=60_000)
    x = white(torch.linalg.qr(torch.randn(120, 120, generator=torch.Generator().manual_seed(2))).Q @ z)
    solution = solve(x, SpikeSlab(final_iterations=5, polish_iterations=1), torch.Generator().manual_seed(0))
    assert solution.starts == ["ica"]
    assert worst_match(z, solution.unmixing @ x) > 0.97


def test_fastica_may_take_a_step_for_each_latent(monkeypatch):
    z = masked_latents(n=30, count=20_000)
    found = {}
    for n_steps in (50, 1):
        monkeypatch.setattr(affine_search, "ICA_STEPS", n_steps)
        generator = torch.Generator().manual_seed(0)
        found[n_steps] = affine_search._independent_components(white(z), generator)
    torch.testing.assert_close(found[1], found[50])
    assert worst_match(z, found[1] @ white(z)) > 0.9


def test_without_independent_components_there_are_other_starts(monkeypatch):
    monkeypatch.setattr(affine_search, "_independent_components", lambda *_: None)
    z = masked_latents()
    solution = solve(white(z), SpikeSlab(), torch.Generator().manual_seed(0))
    assert "ica" not in solution.starts
    assert worst_match(z, solution.unmixing @ white(z)) > 0.99
