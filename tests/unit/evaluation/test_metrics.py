"""What every metric of the catalogue must be and do, and how all of them score a fit."""

import json
from fnmatch import fnmatchcase

import numpy as np
import pytest

from pdgmm.catalogue import named_class
from pdgmm.errors import UserError
from pdgmm.evaluation import METRICS, metrics
from pdgmm.evaluation.base import Column, Metric, ScoredSplit
from pdgmm.evaluation.mcc import mcc
from pdgmm.evaluation.r2 import r2
from pdgmm.evaluation.scoring import LEAST_APART, score_fit
from pdgmm.report import table_columns
from pdgmm.report.seed_summaries import results_frame
from pdgmm.report.table_columns import Record, measure_named
from pdgmm.report.templates.rendering import render_tables

RNG = np.random.default_rng(0)
Z = RNG.normal(size=(200, 4)).astype(np.float32)
Z_HAT = Z[:, [2, 0, 1, 3]] * [-2.0, 1.0, 3.0, 1.0] + 0.1 * RNG.normal(size=(200, 4))
GRAPH = np.array([[0, 1], [1, 0]], dtype=np.uint8)
WORLD = {
    "masks": np.array([[1, 1, 0, 0], [0, 0, 1, 1]]),
    "blocks": np.array([0, 0, 1, 1]),
    "places": np.zeros((2, 2)),
    "changing": np.array([1, 1, 0, 0]),
    "groups": np.array([0, 1, 1, 2]),
    "dependencies": np.tri(4),
    "monotone": np.ones(4),
    "affine": np.ones(4),
    "training_images": RNG.uniform(size=(200, 12)) ** 3,
    "held_out_images": RNG.uniform(size=(100, 12)) ** 3,
}
FACTORS = {"factors": np.zeros(4, int)}
CLAIMS = {"supports": WORLD["masks"][:1], "support_weights": np.ones(1)}

MIXTURE = {
    "mixture_weights": np.ones(6) / 6,
    "mixture_means": 3 * RNG.normal(size=(6, 5)),
    "mixture_covariances": np.stack([np.diag(scales) for scales in RNG.uniform(0.5, 2, size=(6, 5))]),
}


def everything(metric):
    """A split that has all that any metric could ask for, one learned latent more than true ones included."""
    learned = np.column_stack([Z_HAT, RNG.normal(size=200)])
    claims = {**CLAIMS, **MIXTURE, "supports": np.ones((1, 5), int), "graph": GRAPH, "jacobian": np.eye(4, 5)}
    claims["generated"] = WORLD["training_images"][:80] + 0.1
    truth = (
        {}
        if metric.compares_fits
        else {**WORLD, "z": Z, "u": np.arange(200) // 100, "cpdag": GRAPH, **FACTORS}
    )
    return ScoredSplit(learned, truth, claims, [learned], [claims])


@pytest.mark.parametrize("name", METRICS)
def test_a_metric_gives_its_columns_and_their_chance(name):
    metric = named_class(METRICS, name)()
    split = everything(metric)
    assert metric.runs_on(split)
    found = json.loads(json.dumps(metric.scores(split), allow_nan=False))
    for column in metric.columns:
        values = [value for key, value in found.items() if fnmatchcase(key, column.name)]
        assert values
        assert all(isinstance(value, float | int) for value in values)
        assert column.title
        assert column.direction in ("higher", "lower", "neither")
        if column.chance:
            assert 0 < found[column.chance] < (1 if column.direction == "higher" else np.inf)


@pytest.mark.parametrize("name", METRICS)
def test_a_metric_does_not_run_where_something_is_missing(name):
    metric = named_class(METRICS, name)()
    whole = everything(metric)
    for lack in metric.truth | metric.claims:
        truth, claims = ({k: v for k, v in part.items() if k != lack} for part in (whole.truth, whole.claims))
        assert not metric.runs_on(ScoredSplit(whole.z_hat, truth, claims))
    if metric.compares_fits:
        assert not metric.runs_on(ScoredSplit(whole.z_hat))


def test_no_two_metrics_have_a_column_of_the_same_name():
    names = [(metric.section, column.name) for metric in metrics() for column in metric.columns]
    assert len(set(names)) == len(names)


def test_every_held_out_split_is_scored_whatever_its_name():
    turn = np.linalg.qr(RNG.normal(size=(4, 4)))[0]
    apart = np.arange(200) < LEAST_APART
    truth = {"test": {"z": Z @ turn, "source": Z}, "winter": {"z": Z, "apart": apart}}
    found = score_fit(truth, {}, dict.fromkeys(truth, Z_HAT), {})
    assert list(found) == ["test", "test_source", "winter", "winter_apart"]
    assert found["test_source"] == found["winter"]
    assert found["winter"]["mcc"] == mcc(Z, Z_HAT).mcc
    assert found["winter"]["r2"] == r2(Z, Z_HAT)
    assert found["winter_apart"]["mcc"] == mcc(Z[apart], Z_HAT[apart]).mcc
    assert found["winter"]["assignment"] == [1, 2, 0, 3]
    assert np.array(found["winter"]["correlation"]) == pytest.approx(mcc(Z, Z_HAT).correlation, abs=1e-6)


def test_claims_belong_to_the_latents_before_the_rotation():
    turn = np.linalg.qr(RNG.normal(size=(4, 4)))[0]
    learned = Z[:, [2, 0, 1, 3]]
    claims = {**CLAIMS, "supports": WORLD["masks"][:, [2, 0, 1, 3]], "support_weights": np.ones(2) / 2}
    found = score_fit({"test": {"z": Z @ turn, "source": Z}}, WORLD, {"test": learned}, claims)
    assert found["supports"]["precision"] == found["supports"]["recall"] == 1
    assert "ball_1" in found["test"]


def test_what_cannot_be_scored():
    assert score_fit({"test": {}}, {}, {"test": Z_HAT}, {}) == {}, "data without truth"
    with pytest.raises(UserError, match="'unmasked'"):
        score_fit({"test": {"z": Z}, "unmasked": {"z": Z}}, {}, {"test": Z_HAT}, {})


class Luck(Metric):
    """What a new metric is: a class, here of this very file."""

    truth = frozenset({"z"})
    columns = (Column("luck", "How lucky", "lower", digits=1),)

    def scores(self, split):
        return {"luck": float(len(split.z_hat))}


def test_a_new_metric_is_one_file_and_one_line(monkeypatch):
    cached = (metrics, measure_named, table_columns._section)
    monkeypatch.setitem(METRICS, "luck", f"{__name__}:Luck")
    for function in cached:
        function.cache_clear()
    try:
        found = score_fit({"test": {"z": Z}}, {}, {"test": Z_HAT}, {})
        runs = [Record("mine", {}, "fastica", seed, metrics=found) for seed in (0, 1)]
        row = results_frame(runs).set_index("metric").loc["luck"]
        assert (row["mean"], row["worst"]) == (200, 200)
        assert "How lucky, held-out samples" in render_tables(results_frame(runs), "md", "Mine")
    finally:
        monkeypatch.undo()
        for function in cached:
            function.cache_clear()
