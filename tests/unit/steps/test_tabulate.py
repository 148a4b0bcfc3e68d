"""The step that gathers scores into tables: a plan in, four files out."""

import json

import numpy as np
import pandas as pd
import pytest

from pdgmm.errors import UserError
from pdgmm.report.templates.rendering import FORMATS
from pdgmm.steps.tabulate import tabulate
from pdgmm.store import hdf5
from pdgmm.store.checked_json import write_checked_json, write_scores
from table_plans import BASE, method, plan

SETTINGS = {**BASE, "samples": {"train": 50_000}, "x_dim": None}


@pytest.fixture
def results(tmp_path):
    return tmp_path / "results"


@pytest.fixture
def run(results):
    """Writes the files of a run that a table reads."""

    def write(chain, seed, scores, dataset="a", seconds=None, graphs=None, settings=SETTINGS):
        folder = results / dataset / f"seed-{seed}" / chain
        known = {
            "settings": settings,
            "size": "9 steps",
            "status": "ok",
            "reason": "",
            "places": list(scores),
        }
        write_scores(folder / "scores.json", "scores", {**known, "scores": scores})
        if graphs:
            write_scores(folder / "graph_scores-pc.json", "graph scores", graphs)
        if seconds is not None:
            write_checked_json(folder / "model.json", {"notes": {"seconds": seconds}})

    return write


@pytest.fixture
def table(tmp_path, results, monkeypatch):
    """The CSV table of a plan; training times are read from the notes alone."""

    def made(asked, **papers):
        file = tmp_path / "plan.json"
        file.write_text(json.dumps(asked))
        notes = lambda folder: json.loads((folder / "model.json").read_text())["notes"]  # noqa: E731
        monkeypatch.setattr("pdgmm.steps.tabulate.read_notes", notes)
        tabulate(file, results, tmp_path / "table", **papers)
        assert all((tmp_path / f"table.{form}").stat().st_size for form in ("csv", *FORMATS))
        return pd.read_csv(tmp_path / "table.csv")

    return made


def test_runs_are_averaged_and_compared_with_the_table_that_the_plan_names(run, table):
    for seed in (0, 1):
        for chain in ("oracle", "flow+spike_slab"):
            run(chain, seed, {"test": {"mcc": 0.98 + seed / 100, "mcc_chance": 0.6}})
    told = method("oracle", told=["masks", "component"])
    found = table(plan("eight", ["a"], [told, "flow+spike_slab"], seeds=[0, 1], published_table="pdgmm/8"))
    oracle, flow = found.to_dict("records")
    assert (oracle["told"], oracle["published_method"]) == ("masks, component", "oracle of Xu et al. (2024)")
    assert (flow["role"], flow["mean"], flow["worst"], flow["chance"]) == (
        "ours",
        pytest.approx(0.985),
        0.98,
        0.6,
    )
    assert json.loads(flow["values"]) == {"0": 0.98, "1": 0.99}
    assert (flow["train_samples"], flow["size"], flow["setting_n"]) == (50_000, "9 steps", 10)
    assert "setting_x_dim" not in found


def test_without_a_paper_only_swept_settings_are_named(run, table):
    for dataset, n in (("a", 5), ("b", 10)):
        run("fastica", 0, {"test": {"mcc": 0.9}}, dataset, settings={**SETTINGS, "n": n})
    swept = method("fastica", setting={"fastica.rounds": 3})
    found = table(plan("mine", ["a", "b"], [swept], varied=["n", "samples.train"]))
    assert [name for name in found if name.startswith("setting_")] == [
        "setting_n",
        "setting_samples.train",
        "setting_fastica.rounds",
    ]


def test_the_times_of_a_chain_are_those_of_all_its_parts(run, table):
    for chain, seconds in (("cnn", 1.0), ("cnn+autoencoder", 2.0), ("cnn+autoencoder+lagrangian", 4.0)):
        run(chain, 0, {"test": {"mcc": 0.9}}, seconds=seconds)
    found = table(plan("cost", ["a"], ["cnn+autoencoder+lagrangian"], cost=True)).set_index("metric")["mean"]
    assert (found["last_part_seconds"], found["seconds"]) == (4.0, 7.0)


def test_graphs_of_the_true_latents_come_once_a_dataset_and_seed(run, table):
    graphs = {"learned": {"shd": 5, "aid": 0.2}, "true_latents": {"shd": 1, "aid": 0.1}}
    for chain in ("fastica", "flow"):
        run(chain, 0, {"test": {"mcc": 0.9}}, graphs=graphs)
    found = table(plan("graphs", ["a"], ["fastica", "flow"], graphs=["pc"]))
    shd = found[found["metric"] == "shd"]
    assert shd[["method", "role", "mean"]].to_numpy().tolist() == [
        ["true latents", "reference", 1],
        ["fastica", "baseline", 5],
        ["flow", "ours", 5],
    ]


def test_where_there_is_no_truth_seeds_are_compared_with_each_other(run, table, results):
    z = np.random.default_rng(0).normal(size=(50, 2))
    for seed, latents in enumerate((z, -z[:, ::-1], None)):
        run("fastica", seed, {"generated": {"frechet": 0.1}})
        file = results / "a" / f"seed-{seed}" / "fastica" / "latents.h5"
        with hdf5.create(file, "latents", {"status": "ok", "reason": ""}) as written:
            if latents is not None:
                hdf5.put(written, "test/z_hat", latents)
    found = table(plan("own", ["a"], ["fastica"], seeds=[0, 1, 2])).set_index("metric")
    assert found["n_ok"].to_dict() == {"agreement": 2, "affine_agreement": 2, "frechet": 3}
    assert found["mean"].tolist() == pytest.approx([1, 1, 0.1])


def test_one_seed_without_truth_has_nothing_to_be_compared_with(run, table, results, tmp_path):
    run("fastica", 0, {})
    with hdf5.create(
        results / "a/seed-0/fastica/latents.h5", "latents", {"status": "ok", "reason": ""}
    ) as file:
        hdf5.put(file, "test/z_hat", np.zeros((5, 2)))
    assert table(plan("own", ["a"], ["fastica"], seeds=[0]))["mean"].isna().all()
    assert "No run has this score." in (tmp_path / "table.md").read_text()


def test_fits_are_compared_where_the_plan_asks_for_it(run, table, results):
    rng = np.random.default_rng(0)
    z, turn = rng.normal(size=(400, 2)), np.array([[1, 1], [-1, 1]]) / np.sqrt(2)
    for seed, code in enumerate((z, z @ turn, -z)):
        run("vade", seed, {"test": {"mcc": 0.9}})
        with hdf5.create(results / "a" / f"seed-{seed}" / "vade" / "latents.h5", "latents", {}) as file:
            hdf5.put(file, "test/z_hat", code)
            hdf5.put(file, "claims/mixture_weights", np.array([0.5, 0.5]))
            hdf5.put(file, "claims/mixture_means", np.array([[0.0, 2.0], [1.0, 0.0]]) * (1 + seed))
            hdf5.put(
                file, "claims/mixture_covariances", np.array([np.eye(2), 2 * np.eye(2)]) * (1 + seed) ** 2
            )
    asked = plan("mine", ["a"], ["vade"], seeds=[0, 1, 2], between_fits=True)
    found = table(asked).set_index("metric")
    assert found.loc["mcc", "mean"] == pytest.approx(0.9)
    assert found.loc["weak_mcc", "mean"] == pytest.approx(1)
    strong = json.loads(found.loc["strong_mcc", "values"])
    # Fits 0 and 2 are the same but for the sign, and fit 1 is turned by 45 degrees.
    assert strong["0"] == pytest.approx((1 + np.sqrt(0.5)) / 2, abs=0.05)
    assert strong["1"] == pytest.approx(np.sqrt(0.5), abs=0.05)
    assert found.loc["strong_mcc", "chance"] == pytest.approx(0.9, abs=0.01)
    assert found.loc["dist_aff", "mean"] < 1e-3
    assert "split" in found.columns
    assert set(found.loc[["weak_mcc", "dist_aff"], "split"]) == {"between_fits"}
    assert "mcc" in set(table({**asked, "between_fits": False})["metric"])
    assert "weak_mcc" not in set(table({**asked, "between_fits": False})["metric"])


def test_a_plan_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(UserError, match=r"plan\.json"):
        tabulate(tmp_path / "plan.json", tmp_path, tmp_path / "table")
