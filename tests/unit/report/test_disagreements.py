"""Sentences on differences from the paper."""

from pdgmm.report.disagreements import disagreements

ROW = {
    "setting": "base",
    "method": "flow+spike_slab",
    "split": "test",
    "metric": "mcc",
    "published_mean": 0.97,
    "published_std": 0.01,
    "published_table": 3,
    "published_method": "stage2",
    "reduced": None,
}


def row(mean, std, seeds=5, **changes):
    difference = mean - ROW["published_mean"]
    return {**ROW, "mean": mean, "std": std, "n_ok": seeds, "difference": difference, **changes}


def test_nothing_is_said_within_the_noise():
    assert disagreements([row(0.975, 0.01), row(0.96, 0.01)]) == []


def test_beyond_two_standard_errors():
    (sentence,) = disagreements([row(0.99, 0.001), row(0.995, 0.001, setting="n = 5")])
    assert sentence.startswith("`flow+spike_slab`, MCC, held-out samples: better than the paper's stage 2")
    assert "by more than two standard errors in 2 settings: base (+0.02, 0.990 ± 0.001); n = 5" in sentence


def test_beyond_two_published_deviations_though_our_seeds_vary():
    (sentence,) = disagreements([row(0.90, 0.20)])
    assert "worse than the paper's stage 2 by more than two published standard deviations" in sentence
    assert "though within two standard errors" in sentence
    assert disagreements([row(0.90, 0.20, published_std=None)]) == []


def test_the_rounding_of_the_paper_is_no_disagreement():
    assert disagreements([row(0.978, 0.05, published_std=0.0)]) == []


def test_a_smaller_size_is_named_instead_of_a_judgement():
    (sentence,) = disagreements([row(0.5, 0.01, reduced="stage 2: steps 3 of 80,000")])
    assert ": lower than" in sentence
    assert sentence.endswith(
        "Run at less than the paper's size (stage 2: steps 3 of 80,000), which may be the reason."
    )
