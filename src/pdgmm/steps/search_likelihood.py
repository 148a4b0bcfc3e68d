"""Find all models of a likelihood toy that fit as well as the truth, and count them by kind of decoder."""

import json
from collections import Counter
from pathlib import Path
from typing import get_args

import pandas as pd

from pdgmm.report.templates.rendering import template
from pdgmm.store.atomic import write_text
from pdgmm.theory.likelihood_toy import Kind, LikelihoodToy, Search

WORDS = {
    "weakly injective": "f is weakly injective (F2): by the theorem P(z) is identified up to an affine map",
    "not weakly injective": "f is not weakly injective, for example |z|: the theorem does not apply",
    "constant": "f is constant: x says nothing about z",
}


def search_likelihood(settings_json: str, stem: Path) -> None:
    """Write ``<stem>.csv`` and ``<stem>.md``: for how many true models every global minimiser is an affine copy."""
    toys = [LikelihoodToy.model_validate(one) for one in json.loads(settings_json)]
    rows = [row for toy in toys for row in searched(toy)]
    frame = pd.DataFrame(rows)
    write_text(stem.with_name(f"{stem.name}.csv"), frame.to_csv(index=False, lineterminator="\n"))
    sizes = [(row["components"], row["parameters"], row["models"]) for row in rows[:: len(WORDS)]]
    text = template("likelihood_toy.md").render(rows=rows, sizes=sizes)
    write_text(stem.with_name(f"{stem.name}.md"), text)


def searched(toy: LikelihoodToy) -> list[dict[str, int | float | str]]:
    """One row per kind of decoder: true models, those that are minimisers, those with only equivalent minimisers."""
    search = Search(toy)
    counts: dict[str, Counter[str]] = {kind: Counter() for kind in get_args(Kind)}
    largest = dict.fromkeys(counts, 0.0)
    for parameters in search.draw():
        found = search.found(parameters.model)
        kind = parameters.model.kind
        counts[kind]["truths"] += 1
        counts[kind]["at_minimum"] += found.own <= found.lowest + toy.tolerance
        counts[kind]["only_equivalent"] += not found.inequivalent
        counts[kind]["several_minimisers"] += len(found.minimisers) > 1
        largest[kind] = max(largest[kind], found.own - found.lowest)
    return [
        {
            "components": toy.components,
            "kind": kind,
            "meaning": WORDS[kind],
            **{key: count[key] for key in ("truths", "at_minimum", "only_equivalent", "several_minimisers")},
            "largest_gap": largest[kind],
            "parameters": search.parameters,
            "models": len(search.lines) * len(search.mixtures),
        }
        for kind, count in counts.items()
    ]
