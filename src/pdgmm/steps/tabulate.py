"""Step 5: gather the scores of an experiment into its tables."""

import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

from pdgmm.evaluation.agreement import agreement
from pdgmm.models.model_files import read_notes
from pdgmm.report.comparison import TRUE_LATENTS
from pdgmm.report.measures import GRAPH_SPLIT
from pdgmm.report.records import OK, Record
from pdgmm.report.tables import FORMATS, render_tables
from pdgmm.settings import canonical_json
from pdgmm.store import hdf5
from pdgmm.store.atomic import write_text
from pdgmm.store.scores import read_scores

PAPER_SETTINGS = ("n", "k", "m", "rho", "delta", "theta", "balls")
"""The settings by which the paper's tables are ordered; an experiment's own ones are added to them."""


def tabulate(request_json: str, results: Path, stem: Path) -> None:
    """Write ``<stem>.csv``, ``.md``, ``.tex`` and ``.html`` for the experiment that the request describes."""
    request = json.loads(request_json)
    records = list(_records(request, results))
    for form in FORMATS:
        write_text(stem.with_name(f"{stem.name}.{form}"), render_tables(records, form))


def _records(request: dict[str, Any], results: Path) -> Iterator[Record]:
    graphs, referred = request["graphs"], set()
    for dataset, seed, method in product(request["datasets"], request["seeds"], request["methods"]):
        folder = results / dataset["name"] / f"seed-{seed}"
        run = read_scores(folder / method["name"] / "scores.json")
        settings = run["settings"]
        record = Record(
            experiment=request["name"],
            title=request["title"],
            note=request["note"],
            dataset=dataset["name"],
            setting={key: settings[key] for key in PAPER_SETTINGS if key in settings}
            | {key: _setting(settings, key) for key in request["varied"]}
            | method["setting"],
            method=method["shown"],
            kind=method["kind"],
            size="; ".join(filter(None, [dataset["size"], run["size"]])),
            reduced="; ".join(filter(None, [dataset["reduced"], method["reduced"]])),
            train_samples=settings["samples"]["train"],
            seed=seed,
            status=run["status"],
            reason=run["reason"],
            metrics=(
                run["scores"] or _agreement(results / dataset["name"], seed, method["name"], request["seeds"])
            )
            | _graph_scores(folder / method["name"], graphs, "learned"),
            published_table=request["published_table"],
            **(_times(folder, method["name"]) if request["cost"] else {"seconds": None}),
        )
        row = (dataset["name"], seed, canonical_json(method["setting"]))
        if graphs and row not in referred:
            referred.add(row)
            yield _of_true_latents(record, _graph_scores(folder / method["name"], graphs, "true_latents"))
        yield record


def _agreement(folder: Path, seed: int, method: str, seeds: list[int]) -> dict[str, dict[str, float]]:
    """Where there is no truth: how far the latents of a run agree with those of the other seeds."""
    found = {}
    for one in seeds:
        with hdf5.opened(folder / f"seed-{one}" / method / "latents.h5", "latents") as file:
            if "test" in file:
                found[one] = file["test/z_hat"][()]
    others = [latents for one, latents in found.items() if one != seed]
    return {"test": agreement(found[seed], others)} if seed in found and others else {}


def _graph_scores(folder: Path, graphs: list[str], of: str) -> dict[str, dict[str, Any]]:
    """The scores of the graphs of a run, by their place in a record; of a fit that failed there are none."""
    scores = {name: read_scores(folder / f"graph_scores-{name}.json", "graph scores")[of] for name in graphs}
    return {GRAPH_SPLIT + name: values for name, values in scores.items() if values is not None}


def _of_true_latents(record: Record, metrics: dict[str, dict[str, Any]]) -> Record:
    """What perfect latents would give in the setting and with the seed of a record."""
    return {
        **record,
        "method": TRUE_LATENTS,
        "kind": TRUE_LATENTS,
        "size": "",
        "reduced": "",
        "status": OK,
        "reason": "",
        "metrics": metrics,
        "seconds": None,
        "stage2_seconds": None,
        "reference": True,
    }


def _times(folder: Path, method: str) -> dict[str, float | None]:
    """The training times of a run; not among its scores, which are the same however long a fit took."""
    stage1, stage2 = (read_notes(folder / part).get("seconds") for part in (method.split("+")[0], method))
    both = None if stage1 is None or stage2 is None else stage1 + stage2
    return {"seconds": both, "stage2_seconds": stage2}


def _setting(settings: dict[str, Any], dotted: str) -> Any:
    for key in dotted.split("."):
        settings = settings[key]
    return settings
