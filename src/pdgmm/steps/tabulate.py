"""Gather the scores of an experiment into its tables."""

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import reduce
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from pdgmm.catalogue import prefixes
from pdgmm.errors import UserError
from pdgmm.evaluation.base import ScoredSplit
from pdgmm.evaluation.scoring import between_fits, split_scores
from pdgmm.models.model_files import read_notes
from pdgmm.report.comparison import TRUE_LATENTS, PublishedTable
from pdgmm.report.papers.paper_files import PAPERS
from pdgmm.report.seed_summaries import results_frame
from pdgmm.report.table_columns import COSTS, GRAPH, OK, REFERENCE, RUN, Record
from pdgmm.report.templates.rendering import FORMATS, render_tables
from pdgmm.settings import canonical_json
from pdgmm.store import hdf5
from pdgmm.store.atomic import write_text
from pdgmm.store.checked_json import read_scores
from pdgmm.store.splits import MAIN


def tabulate(plan: Path, results: Path, stem: Path, papers: Path = PAPERS) -> None:
    """Write the tables of the experiment in the file ``plan``: ``<stem>.csv``, ``.md``, ``.tex`` and ``.html``."""
    try:
        request = json.loads(plan.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(f"cannot read the plan of a table, {plan}: {error}") from error
    table = PublishedTable(request["published_table"], papers) if request["published_table"] else None
    shown = [*table.paper.base, *table.paper.shown] if table else []
    frame = results_frame(_records(request, results, shown), papers)
    write_text(stem.with_name(f"{stem.name}.csv"), frame.to_csv(index=False, lineterminator="\n"))
    about = (request["title"] or request["name"], request["note"], request["published_table"], papers)
    for form in FORMATS:
        write_text(stem.with_name(f"{stem.name}.{form}"), render_tables(frame, form, *about))


def _records(request: dict[str, Any], results: Path, shown: list[str]) -> Iterator[Record]:
    """The runs; if graphs are asked for, the true latents come before the methods of each dataset and seed."""
    graphs, referred = request["graphs"], set()
    for dataset, seed, method in product(request["datasets"], request["seeds"], request["methods"]):
        folder = results / dataset["name"] / f"seed-{seed}"
        run = read_scores(folder / method["name"] / "scores.json")
        settings = run["settings"]
        scores = {place: run["scores"][place] for place in run["places"]}
        of_fits = (results / dataset["name"], seed, method["name"], request["seeds"])
        record = Record(
            experiment=request["name"],
            dataset=dataset["name"],
            setting={key: settings[key] for key in shown if key in settings}
            | {key: _setting(settings, key) for key in request["varied"]}
            | method["setting"],
            method=method["shown"],
            **{key: method[key] for key in ("kind", "role", "told", "reduced")},
            train_samples=settings["samples"]["train"],
            seed=seed,
            **{key: run[key] for key in ("size", "status", "reason")},
            # With `between_fits` this second comparison of seeds would add nothing.
            metrics=scores
            | ({} if MAIN in scores or request["between_fits"] else _compared_fits(*of_fits))
            | (_between_fits(*of_fits) if request["between_fits"] else {})
            | _graph_scores(folder / method["name"], graphs, "learned")
            | ({RUN: _times(folder, method["name"])} if request["cost"] else {}),
            published_table=request["published_table"],
        )
        row = (dataset["name"], seed, canonical_json(method["setting"]))
        if graphs and row not in referred:
            referred.add(row)
            metrics = _graph_scores(folder / method["name"], graphs, "true_latents")
            as_method = {"method": TRUE_LATENTS, "kind": TRUE_LATENTS, "role": REFERENCE}
            fit = {"told": (), "size": "", "reduced": "", "status": OK, "reason": ""}
            yield replace(record, metrics=metrics, **as_method, **fit)
        yield record


def _compared_fits(folder: Path, seed: int, method: str, seeds: list[int]) -> dict[str, dict[str, Any]]:
    """For data without truth: the metrics that compare a run with the runs of other seeds."""
    split = _beside_others(folder, seed, method, seeds)
    return {MAIN: split_scores(split)} if split else {}


def _between_fits(folder: Path, seed: int, method: str, seeds: list[int]) -> dict[str, dict[str, Any]]:
    """For experiments with ``between_fits``: the stability scores of a run against the runs of other seeds."""
    split = _beside_others(folder, seed, method, seeds)
    return between_fits(split) if split else {}


def _beside_others(folder: Path, seed: int, method: str, seeds: list[int]) -> ScoredSplit | None:
    """The held-out latents and claims of a run and of the other seeds' runs; None with fewer than two fits."""
    found: dict[int, tuple[np.ndarray, dict[str, np.ndarray]]] = {}
    for one in seeds:
        with hdf5.opened(folder / f"seed-{one}" / method / "latents.h5", "latents") as file:
            if MAIN in file:
                claims = (
                    {name: values[()] for name, values in file["claims"].items()} if "claims" in file else {}
                )
                found[one] = file[MAIN]["z_hat"][()], claims
    if seed not in found or len(found) < 2:
        return None
    others = [fit for one, fit in found.items() if one != seed]
    latents, claims = zip(*others, strict=True)
    return ScoredSplit(*found[seed][:1], claims=found[seed][1], other_fits=latents, other_claims=claims)


def _graph_scores(folder: Path, graphs: list[str], of: str) -> dict[str, dict[str, Any]]:
    """The scores of a run's graphs, by their place in a record; a failed fit has none."""
    scores = {name: read_scores(folder / f"graph_scores-{name}.json", "graph scores")[of] for name in graphs}
    return {GRAPH + name: values for name, values in scores.items() if values is not None}


def _times(folder: Path, chain: str) -> dict[str, float]:
    """The training times of a run. They are not in its score file, which must not depend on how long a fit took."""
    parts = [read_notes(folder / part).get("seconds") for part in prefixes(chain)]
    times = (parts[-1], None if None in parts else sum(parts))
    return {column.name: value for column, value in zip(COSTS, times, strict=True) if value is not None}


def _setting(settings: dict[str, Any], dotted: str) -> Any:
    return reduce(lambda values, key: values[key], dotted.split("."), settings)
