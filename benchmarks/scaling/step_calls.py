"""A real call of every step of the workflow on next to no data, each with what the ones before it wrote."""

import json
from pathlib import Path

from image_step_calls import image_step_calls
from step_call import Call

STUDY = {
    "datasets": {
        "pdgmm": {
            "n": 4,
            "m": 3,
            "samples": {"train": 600, "test": 100, "unmasked": 100, "independent": 100},
        }
    },
    "experiments": {
        "tiny": {
            "title": "Tiny",
            "dataset": "pdgmm",
            "vary": {"n": [4]},
            "methods": ["identity+fastica"],
            "seeds": [0],
            "graphs": ["pc"],
            "cost": True,
        }
    },
}


def dataset_and_request() -> tuple[str, str]:
    """The name of the study's dataset, and what the workflow hands to ``tabulate``."""
    from pdgmm.study.planning import plan_study

    study = plan_study(STUDY)
    return next(iter(study.datasets)), study.table_request("tiny")


def step_calls(folder: Path, name: str, request: str) -> list[Call]:
    """Every step at least once, in an order in which all find their inputs under ``folder``.

    ``name`` and ``request`` are those of :func:`dataset_and_request`.
    """
    results = folder / "results"
    runs, tables, figures = results / name / "seed-0", results / "tables", results / "figures"
    data = ["--dataset", str(folder / "datasets" / name / "seed-0.h5")]
    method = runs / "identity+fastica"
    latents = ["--latents", str(method / "latents.h5")]
    label = ["--label", json.dumps({"method": method.name, "size": ""})]
    true_graph, graph, boss = (
        runs / "true_graph-pc.json",
        method / "graph-pc.json",
        method / "graph-boss.json",
    )
    scores, graph_scores = method / "scores.json", method / "graph_scores-pc.json"
    graphs = ["--learned", str(graph), "--true-latents", str(true_graph)]
    table = tables / "tiny.csv"

    def fit(stage: int, method: str, out: str, *more: str) -> list[str]:
        return [
            f"train-stage{stage}",
            *data,
            "--seed",
            "0",
            "--method",
            method,
            "--out",
            str(runs / out),
            *more,
        ]

    def fit2(method: str) -> list[str]:
        return fit(2, method, f"identity+{method}", "--stage1", str(runs / "identity"))

    settings = ["--settings", json.dumps(STUDY["datasets"]["pdgmm"])]
    short = ["--settings", json.dumps({"widths": [2], "batch_size": 64, "steps": 1})]
    return [
        Call(["generate", "--generator", "pdgmm", *settings, "--seed", "0", "--out", data[1]]),
        Call(fit(1, "identity", "identity"), "identity"),
        Call(fit(1, "autoencoder", "autoencoder", *short), "autoencoder", needs_torch=True),
        Call(fit2("none"), "none"),
        Call(fit2("fastica"), "fastica"),
        Call(fit2("spike_slab"), "spike_slab", needs_torch=True),
        Call(["score", *data, *latents, *label, "--out", str(scores)]),
        Call(["discover-graph", *data, "--method", "pc", "--out", str(true_graph)], "pc, true latents"),
        Call(["discover-graph", *data, *latents, "--method", "pc", "--out", str(graph)], "pc"),
        Call(["discover-graph", *data, *latents, "--method", "boss", "--out", str(boss)], "boss"),
        Call(["score-graph", *data, *label, *graphs, "--out", str(graph_scores)]),
        Call(["tabulate", "--experiment", request, "--results", str(results), "--out", str(tables / "tiny")]),
        Call(["summarise", "--out", str(tables / "summary"), str(table)]),
        Call(["draw-cost", "--table", str(table), "--title", "Tiny", "--out", str(figures / "cost")]),
        Call(["draw-heatmaps", "--out", str(figures / "heatmaps"), str(scores)]),
        Call(["draw-supports", "--out", str(figures / "supports")]),
        Call(["draw-graphs", "--name", "pc", "--out", str(figures / "graphs"), str(graph_scores)]),
        *image_step_calls(folder),
    ]
