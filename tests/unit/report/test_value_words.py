import pytest

from pdgmm.report.value_words import setting_labels, usual_values
from table_plans import BASE


@pytest.mark.parametrize(
    ("changes", "labels"),
    [
        ([{}, {"n": 20}], ["n = 10", "n = 20"]),
        ([{}, {"n": 20}, {"rho": 0.75, "delta": 2.0}], ["base", "n = 20", "ρ = 75 %, δ = 2"]),
        ([{"n": 5, "theta": 15.0}, {"n": 20, "theta": 15.0}], ["n = 5", "n = 20"]),
        ([{"rho": "1var"}, {"k": 0, "noise": "gumbel"}], ["ρ = 1 var", "k = 0, noise = gumbel"]),
        ([{"n": 100}], ["n = 100"]),
        ([{"x_dim": None, "samples.train": 100_000.0}, {"n": 5}], ["samples.train = 100,000", "n = 5"]),
    ],
)
def test_labels_name_what_is_special_about_a_row(changes, labels):
    assert setting_labels([{**BASE, **change} for change in changes], BASE) == labels


def test_without_a_paper_the_base_is_what_most_rows_have():
    sweep = [{"n": n, "k": k} for n, k in ((10, 1), (5, 1), (20, 1), (10, 0), (10, 2))]
    assert usual_values(sweep) == {"n": 10, "k": 1}
    assert setting_labels(sweep, usual_values(sweep)) == ["base", "n = 5", "n = 20", "k = 0", "k = 2"]
    grid = [{"n": n, "k": k} for n in (5, 10) for k in (0, 1)]
    assert usual_values(grid) == {}
