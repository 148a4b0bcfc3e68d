"""Which published value belongs beside which of ours, and whether they agree."""

import pytest

from pdgmm.report.comparison import Published, PublishedTable
from pdgmm.report.papers.paper_files import PublishedMetric
from table_plans import BASE


def published(table, setting=BASE, chain="flow+spike_slab", split="test", metric="mcc", **told):
    return PublishedTable(f"pdgmm/{table}").compare(setting, chain, split, metric, **told)


@pytest.mark.parametrize(
    ("chain", "metric", "method", "mean", "same_method"),
    [
        ("autoencoder", "r2", "stage 1", 0.94, True),
        ("autoencoder+lagrangian", "mcc", "stage 2", 0.97, True),
        ("autoencoder+lagrangian", "r2", "stage 1", 0.94, False),
        ("autoencoder+unconstrained", "mcc", "stage 2, no sparsity", 0.57, True),
        ("autoencoder+vade_as_published", "mcc", "VaDE", 0.32, True),
        ("flow+spike_slab", "mcc", "stage 2", 0.97, False),
        ("fastica", "r2", "stage 1", 0.94, False),
        ("oracle", "mcc", "oracle of Xu et al. (2024)", 0.98, False),
    ],
)
def test_every_method_has_its_column(chain, metric, method, mean, same_method):
    found = published(1, chain=chain, metric=metric)
    assert (found.method, found.mean, found.same_method) == (method, mean, same_method)


def test_a_method_that_is_told_the_truth_is_held_against_none_that_is_not():
    assert published(8, chain="oracle", told=True).mean == 0.98
    assert published(3, chain="oracle", metric="r2", told=True) is None


@pytest.mark.parametrize(
    ("table", "change", "where", "mean"),
    [
        (3, {"n": 40}, {}, 0.94),
        *(
            (3, {"rho": rho}, {}, mean)
            for rho, mean in (("1 var", 0.45), ("75%", 0.93), (0.75, 0.93), ("50 %", 0.97))
        ),
        (3, {"samples": {"train": 5}, "noise": "gauss", "x_dim": 10, "observation_noise": None}, {}, 0.97),
        (1, {"n": 20}, {"split": "independent"}, 0.93),
        (17, {"noise": "gumbel", "n": 5}, {}, 0.95),
        (6, {"lagrangian.sparsity": 0.1}, {}, 0.9),
        *((10, {f"{part}.extra_latents": 6}, {}, 0.93) for part in ("autoencoder", "spike_slab")),
        (3, {"autoencoder.extra_latents": 0}, {}, 0.97),
        (9, {}, {"chain": "vade_as_published", "metric": "r2"}, 0.78),
        (21, {"blocks": [1, 1, 1, 3, 4]}, {"metric": "block_r2_diagonal_min"}, 0.89),
        (5, {"n": 20}, {"split": "run", "metric": "last_part_seconds"}, 5700),
        (11, {}, {"split": "graph_pc", "metric": "shd", "chain": "true latents"}, 1.8),
    ],
)
def test_a_setting_is_found_however_it_is_written(table, change, where, mean):
    assert published(table, {**BASE, **change}, **where).mean == pytest.approx(mean)


def test_balls_have_a_value_each_in_any_of_their_tables():
    assert published(13, {"balls": 4}, metric="ball_2").table == "pdgmm/14"
    assert published(13, {"balls": 2}, "keypoints+autoencoder+lagrangian", metric="ball_1").same_method


@pytest.mark.parametrize(
    ("table", "change", "where"),
    [
        *(
            (3, change, {})
            for change in ({"n": 7}, {"delta": 2, "n": 20}, {"noise": "gumbel"}, {"x_dim": 20})
        ),
        (3, {"observation_noise": 10.0}, {}),
        (3, {}, {"split": "unmasked"}),
        (3, {}, {"split": "run", "metric": "seconds"}),
        (3, {}, {"chain": "autoencoder", "split": "independent"}),
        (11, {}, {"split": "graph_boss", "metric": "shd"}),
        (21, {"blocks": [1, 1, 2, 6]}, {"metric": "block_r2_diagonal_min"}),
    ],
)
def test_what_is_not_published_is_not_compared(table, change, where):
    assert published(table, {**BASE, **change}, **where) is None


def value(mean=0.97, std=0.01, digits=2):
    metric = PublishedMetric(split="test", metric="mcc", published="mcc", digits=digits)
    return Published(mean, std, 5, "pdgmm/3", "stage 2", False, metric)


@pytest.mark.parametrize(
    ("std", "published_std", "seeds", "digits", "expected"),
    [
        (0.03, 0.05, 3, 2, 2 * (0.03**2 / 3 + 0.05**2 / 5) ** 0.5),
        (None, 0.05, 1, 2, 2 * 0.05 * (1 + 1 / 5) ** 0.5),
        (0.05, None, 4, 2, 2 * 0.05 * (1 / 4 + 1 / 5) ** 0.5),
        (0.0, 0.0, 5, 2, 0.01),
        (None, None, 1, 1, 0.1),
    ],
)
def test_the_tolerance_is_two_standard_errors_or_the_last_digit(std, published_std, seeds, digits, expected):
    assert value(std=published_std, digits=digits).tolerance(std, seeds) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("difference", "higher", "word"),
    [(0.96 - 0.97, True, "agrees"), (0.02, True, "better"), (-0.02, True, "worse"), (0.02, False, "worse")],
)
def test_the_direction_decides(difference, higher, word):
    assert value(std=0.0).verdict(difference, 0.0, 5, higher_is_better=higher) == word
