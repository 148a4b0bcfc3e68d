import pytest
import torch

from pdgmm.errors import FitFailed
from pdgmm.methods.flow.heats import MOST_STARTS, Heat, best_start, distinct_starts
from pdgmm.methods.spike_slab.affine_search import AffineSolution
from pdgmm.methods.spike_slab.dependent_prior import DependentPrior
from pdgmm.methods.spike_slab.spike_slab_prior import SpikeSlabPrior


def solution(*finalists):
    priors = DependentPrior.from_independent(SpikeSlabPrior.wide(len(finalists), 2))
    likelihoods = [float(-number) for number in range(len(finalists))]
    stacked = torch.stack(finalists)
    return AffineSolution(finalists[0], priors[0], 0.0, [], likelihoods, stacked, priors, [])


def rotated(degrees):
    angle = torch.deg2rad(torch.tensor(float(degrees)))
    return torch.stack([torch.stack([angle.cos(), -angle.sin()]), torch.stack([angle.sin(), angle.cos()])])


def test_solutions_that_differ_in_more_than_order_sign_and_scale_are_kept_the_likeliest_first():
    same = torch.tensor([[0.0, -3.0], [0.5, 0.0]])
    assert len(distinct_starts([solution(torch.eye(2), same, rotated(5))])) == 1
    starts = distinct_starts([solution(torch.eye(2), rotated(45), rotated(47))])
    assert len(starts) == 2
    torch.testing.assert_close(starts[1][0], rotated(45))
    likelier = solution(rotated(45), rotated(20))._replace(log_likelihood=1.0)
    winners = distinct_starts([solution(torch.eye(2)), likelier])
    torch.testing.assert_close([start[0] for start in winners], [rotated(45), torch.eye(2)])


def test_there_are_never_more_than_a_few_starts():
    many = [
        torch.linalg.qr(torch.randn(6, 6, generator=torch.Generator().manual_seed(i))).Q for i in range(9)
    ]
    priors = DependentPrior.from_independent(SpikeSlabPrior.wide(9, 6))
    found = AffineSolution(many[0], priors[0], 0.0, [], [0.0] * 9, torch.stack(many), priors, [])
    assert len(distinct_starts([found])) == MOST_STARTS


def refines_to_nothing_better(score):
    return Heat(score, lambda: (rotated(13), None))


def test_the_best_heat_wins_and_one_that_fails_does_not():
    starts = distinct_starts([solution(torch.eye(2), rotated(45))])

    def heat(start):
        if torch.equal(start[0], torch.eye(2)):
            raise FitFailed("diverged", "loss was NaN")
        return refines_to_nothing_better(-3.0 if torch.equal(start[0], rotated(45)) else -4.0)

    choice = best_start(starts, heat)
    assert choice.start is starts[1]
    assert choice.heats == [float("-inf"), -3.0]
    assert choice.refined == [-4.0]


def test_a_start_is_refined_as_long_as_its_heats_improve():
    starts = distinct_starts([solution(torch.eye(2), rotated(45))])

    def heat(start):
        """Best at 20 degrees; a refinement goes on by ten degrees."""
        degrees = float(torch.rad2deg(torch.atan2(start[0][1, 0], start[0][0, 0])))
        return Heat(-abs(degrees - 20), lambda: (rotated(degrees + 10), None))

    choice = best_start(starts, heat)
    torch.testing.assert_close(choice.start[0], rotated(20))
    assert choice.refined == pytest.approx([-10, 0, -10], abs=1e-3)


def test_a_start_far_below_the_best_is_not_refined():
    starts = distinct_starts([solution(torch.eye(2), rotated(45))])
    choice = best_start(starts, lambda start: refines_to_nothing_better(9 * float(start[0][0, 0])))
    assert len(choice.refined) == 1


def test_there_is_no_heat_without_a_choice():
    def never(start):
        raise AssertionError("called")

    starts = distinct_starts([solution(torch.eye(2))])
    assert best_start(starts, never) == (starts[0], [], [])
