"""A real call of every step of the workflow on very little data; each reads what earlier calls wrote."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

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
            "methods": ["fastica"],
            "seeds": [0],
            "graphs": ["pc"],
            "cost": True,
        }
    },
}
SHORT = {"widths": [2], "batch_size": 64, "steps": 1}
IMAGES = {"size": 16, "radius": 0.2, "samples": {"train": 200, "test": 50, "unmasked": 50}}
TOY = json.dumps([{"components": 2, "truths": 1}])
PLAN = "plan.json"


@dataclass(frozen=True)
class Call:
    """``pdgmm step <arguments>``. ``detail`` tells calls of one step apart."""

    arguments: list[str]
    detail: str = ""
    needs_torch: bool = False

    @property
    def step(self) -> str:
        """Name of the step."""
        return self.arguments[0]

    @property
    def command(self) -> str:
        """The step and the detail."""
        return " ".join(filter(None, [self.step, self.detail]))


def table_plan() -> dict[str, Any]:
    """The plan of the study's table, which the workflow hands to ``tabulate`` as a file."""
    from pdgmm.study.planning import plan_study

    return plan_study(STUDY).experiments["tiny"].table_plan()


def step_calls(folder: Path, plan: dict[str, Any]) -> list[Call]:
    """Every step at least once, in an order such that each finds its inputs under ``folder``.

    ``plan`` is what :func:`table_plan` gives, as ``folder/plan.json`` holds it.
    """
    results, dataset = folder / "results", plan["datasets"][0]["name"]
    runs, tables, figures = results / dataset / "seed-0", results / "tables", results / "figures"
    data, table = folder / "datasets" / dataset / "seed-0.h5", tables / "tiny.csv"
    images, network = folder / "images.h5", results / "images" / "keypoints"
    digits = folder / "digits" / "seed-0.h5"
    written = digits.parent / "mfcvae"
    identity, fastica = runs / "identity", runs / "fastica"
    graph, true_graph = fastica / "graph-pc.json", runs / "true_graph-pc.json"

    def call(step: str, *arguments: Any, detail: str = "", needs_torch: bool = False) -> Call:
        return Call([step, *map(str, arguments)], detail, needs_torch)

    def draw(generator: str, settings: dict, out: Path) -> Call:
        options = ("--generator", generator, "--settings", json.dumps(settings), "--seed", 0, "--out", out)
        return call("generate", *options, detail=generator)

    def fit(method: str, out: Path, dataset: Path, *more: Any, torch: bool = False, stage: int = 1) -> Call:
        options = ("--method", method, "--dataset", dataset, "--seed", 0, "--out", out, *more)
        return call(f"train-stage{stage}", *options, detail=method, needs_torch=torch)

    def encode(model: Path, out: Path, dataset: Path, *more: Any, torch: bool = False) -> Call:
        options = ("--model", model, "--dataset", dataset, "--out", out, *more)
        return call("encode", *options, detail=model.name, needs_torch=torch)

    def score(step: str, method: Path, dataset: Path, out: str, *more: Any) -> Call:
        label = json.dumps({"method": method.name, "size": ""})
        return call(step, "--dataset", dataset, "--label", label, "--out", method / out, *more)

    def discover(method: str, out: Path, *more: Any, detail: str = "") -> Call:
        options = ("--dataset", data, "--method", method, "--out", out, *more)
        return call("discover-graph", *options, detail=method + detail)

    code, latents = identity / "code.h5", ("--latents", fastica / "latents.h5")
    short, one_step = json.dumps(SHORT), json.dumps({"steps": 1, "channels": 2})
    found = ("--learned", graph, "--true-latents", true_graph)
    return [
        draw("pdgmm", STUDY["datasets"]["pdgmm"], data),
        fit("identity", identity, data),
        fit("fastica", fastica, data),
        fit("spike_slab", runs / "spike_slab", data, torch=True),
        fit("autoencoder", runs / "autoencoder", data, "--settings", short, torch=True),
        encode(identity, code, data, "--training"),
        fit("fastica", runs / "identity+fastica", data, "--code", code, stage=2),
        encode(fastica, fastica / "latents.h5", data),
        score("score", fastica, data, "scores.json", *latents),
        discover("pc", true_graph, detail=", true latents"),
        discover("pc", graph, *latents),
        discover("boss", fastica / "graph-boss.json", *latents),
        score("score-graph", fastica, data, "graph_scores-pc.json", *found),
        call("tabulate", "--plan", folder / PLAN, "--results", results, "--out", table.with_suffix("")),
        call("summarise", "--out", tables / "summary", table),
        call("draw-cost", "--table", table, "--title", "Tiny", "--out", figures / "cost"),
        call(
            "draw-curves",
            *("--table", table, "--title", "Tiny", "--key", "n", "--out", figures / "curves", "mcc"),
        ),
        call("draw-heatmaps", "--out", figures / "heatmaps", fastica / "scores.json"),
        call("draw-supports", "--out", figures / "supports"),
        call("draw-graphs", "--name", "pc", "--out", figures / "graphs", fastica / "graph_scores-pc.json"),
        call("draw-codes", "--dataset", data, "--out", figures / "codes", fastica / "latents.h5"),
        draw("written_digits", {"source": "digits", "samples": {"train": 500, "test": 100}}, digits),
        fit("pca", digits.parent / "pca", digits),
        encode(digits.parent / "pca", digits.parent / "pca" / "latents.h5", digits),
        call(
            "draw-traversals",
            *("--dataset", digits, "--latents", digits.parent / "pca" / "latents.h5"),
            *("--out", figures / "traversals"),
        ),
        fit("mfcvae", written, digits, "--settings", json.dumps({"steps": 1}), torch=True),
        encode(written, written / "latents.h5", digits, torch=True),
        call(
            "draw-mixture-images",
            *("--dataset", digits, "--latents", written / "latents.h5"),
            *("--out", figures / "components"),
            needs_torch=True,
        ),
        call("search-likelihood", "--settings", TOY, "--out", results / "toy"),
        call("draw-likelihood", "--settings", TOY, "--out", results / "toy"),
        draw("balls", IMAGES, images),
        fit("keypoints", network, images, "--settings", one_step, torch=True),
        encode(network, network / "latents.h5", images, torch=True),
        # It needs what a network read.
        replace(
            score("score", network, images, "scores.json", "--latents", network / "latents.h5"),
            detail="keypoints",
            needs_torch=True,
        ),
        call(
            "draw-balls",
            "--images",
            images,
            "--out",
            figures / "balls",
            network / "scores.json",
            needs_torch=True,
        ),
    ]
