import pytest

from pdgmm.report.published import BASE
from pdgmm.report.text import difference, duration, mean_and_std, setting_label


def test_mean_and_deviation():
    assert mean_and_std(0.9664, 0.0041, 3) == "0.966 ± 0.004"
    assert mean_and_std(0.9664, None, 3) == "0.966"


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.024, "+0.02"), (-0.071, "−0.07"), (-0.004, "0.00"), (0.004, "0.00"), (-1.5, "−1.50")],
)
def test_differences_have_a_sign_unless_they_round_to_zero(value, text):
    assert difference(value) == text


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.44, "0.4 s"), (9.99, "10 s"), (41, "41 s"), (720, "12 min"), (12_600, "3.5 h")]
)
def test_durations(seconds, text):
    assert duration(seconds) == text


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({}, "base"),
        ({"n": 20}, "n = 20"),
        ({"rho": 0.75, "delta": 2.0}, "ρ = 75 %, δ = 2"),
        ({"rho": "1var"}, "ρ = 1 var"),
        ({"theta": 15.0}, "θ = 15°"),
        ({"noise": "gauss", "x_dim": None}, "base"),
        ({"noise": "gumbel", "samples.train": 100_000}, "noise = gumbel, samples.train = 100,000"),
    ],
)
def test_a_label_names_what_differs_from_the_base(change, text):
    assert setting_label({**BASE, **change}) == text


def test_a_label_can_be_made_to_name_a_base_value():
    assert setting_label(BASE, always=["n"]) == "n = 10"
