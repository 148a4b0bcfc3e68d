"""Step 5: gather the scores of an experiment into its tables."""

import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

from pdgmm.report.records import Record
from pdgmm.report.tables import FORMATS, render_tables
from pdgmm.store.atomic import write_text
from pdgmm.store.scores import read_scores

PAPER_SETTINGS = ("n", "k", "m", "rho", "delta", "theta")
"""The settings by which the paper's tables are ordered; an experiment's own ones are added to them."""


def tabulate(request_json: str, results: Path, stem: Path) -> None:
    """Write ``<stem>.csv``, ``.md``, ``.tex`` and ``.html`` for the experiment that the request describes."""
    request = json.loads(request_json)
    records = list(_records(request, results))
    for form in FORMATS:
        write_text(stem.with_name(f"{stem.name}.{form}"), render_tables(records, form))


def _records(request: dict[str, Any], results: Path) -> Iterator[Record]:
    for dataset, seed, method in product(request["datasets"], request["seeds"], request["methods"]):
        run = read_scores(results / dataset / f"seed-{seed}" / method / "scores.json")
        settings = run["settings"]
        yield Record(
            experiment=request["name"],
            title=request["title"],
            setting={key: settings[key] for key in PAPER_SETTINGS if key in settings}
            | {key: _setting(settings, key) for key in request["varied"]},
            method=method,
            kind=request["kinds"][method],
            size=run["size"],
            seed=seed,
            status=run["status"],
            reason=run["reason"],
            metrics=run["scores"],
            seconds=None,
            published_table=request["published_table"],
        )


def _setting(settings: dict[str, Any], dotted: str) -> Any:
    for key in dotted.split("."):
        settings = settings[key]
    return settings
