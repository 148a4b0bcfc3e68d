import pytest

from pdgmm.report.disagreements import disagreements

ROW = {
    "setting": "base",
    "method": "flow+spike_slab",
    "split": "test",
    "metric": "mcc",
    "published_mean": 0.97,
    "published_std": 0.01,
    "published_table": "pdgmm/3",
    "published_method": "stage 2",
    "same_method": False,
    "reduced": None,
}
SMALL = "lagrangian: steps 3 of 80,000"


def row(mean, std, **changes):
    return {**ROW, "mean": mean, "std": std, "n_ok": 5, "difference": mean - 0.97, **changes}


@pytest.mark.parametrize(
    ("rows", "parts"),
    [
        ([row(0.975, 0.01), row(0.96, 0.01)], None),
        ([row(0.978, 0.05, published_std=0.0)], None),
        ([row(0.90, 0.20, published_std=float("nan"))], None),
        (
            [row(0.99, 0.001), row(0.995, 0.001, setting="n = 5")],
            [
                "better than the paper's stage 2",
                "two standard errors",
                "2 settings",
                "n = 5 (+0.03, 0.995 ± 0.001)",
            ],
        ),
        ([row(0.90, 0.20)], ["worse", "two published standard deviations", "1 setting: base (−0.07"]),
        ([row(0.5, 0.01, reduced=SMALL)], [": lower than", SMALL]),
    ],
    ids=["noise", "rounding", "no deviation", "two errors", "two deviations", "small"],
)
def test_a_sentence_says_what_differs_by_how_much_and_where(rows, parts):
    found = disagreements(rows)
    assert len(found) == bool(parts)
    assert all(part in found[0] for part in parts or [])
