"""A config in numbers, before anything runs."""

from collections.abc import Iterable
from typing import Any

from pdgmm.catalogue import JOINT, prefixes
from pdgmm.study.study import Study


def plan_counts(study: Study) -> dict[str, Any]:
    """The counts of every experiment, of the whole study, and of each rule's jobs."""
    drawn = {(name, seed) for name, seed, _ in study.runs()}
    return {
        "experiments": {
            name: _counts(list(planned.runs()), len(planned.seeds) * len(planned.datasets))
            for name, planned in study.experiments.items()
        },
        "all": _counts(study.runs(), len(drawn)),
        "jobs": job_counts(study),
    }


def plan_summary(study: Study) -> str:
    """A table of the counts of every experiment and of the whole study; there, shared runs count once."""
    counts = plan_counts(study)
    rows = [("experiment", "datasets", "fits", "evaluations")]
    entries = [*counts["experiments"].items(), ("all, shared runs once", counts["all"])]
    rows += [(name, *(f"{count:,}" for count in of_one.values())) for name, of_one in entries]
    first, *others = (max(map(len, column)) for column in zip(*rows, strict=True))
    lines = [
        "  ".join([name.ljust(first), *(cell.rjust(w) for cell, w in zip(cells, others, strict=True))])
        for name, *cells in rows
    ]
    rule = "-" * len(lines[0])
    jobs = ", ".join(f"{count:,} {name}" for name, count in counts["jobs"].items() if count)
    total = f"{sum(counts['jobs'].values()):,} jobs in all: {jobs}"
    return "\n".join([lines[0], rule, *lines[1:-1], rule, lines[-1], "", total])


def job_counts(study: Study) -> dict[str, int]:
    """How often each rule of the workflow runs if nothing is done yet; runs that experiments share count once."""
    experiments = study.experiments.values()
    runs = set(study.runs())
    graphs = {
        (dataset, seed, method, graph)
        for planned in experiments
        for dataset, seed, method in planned.runs()
        for graph in planned.settings.graphs
    }
    fits = fits_of(runs)
    first = {fit for fit in fits if JOINT not in fit[2]}
    built_on = {(dataset, seed, chain.rpartition(JOINT)[0]) for dataset, seed, chain in fits - first}
    return {
        "generate_dataset": len({(dataset, seed) for dataset, seed, _ in runs}),
        "train_stage1": len(first),
        "train_stage2": len(fits - first),
        "encode": len(fits),
        "encode_training": len(built_on),
        "score": len(runs),
        "discover_graph": len(graphs),
        "discover_true_graph": len({(dataset, seed, graph) for dataset, seed, _, graph in graphs}),
        "score_graph": len(graphs),
        "tabulate": len(study.experiments),
        "draw_heatmaps": sum(len(one.datasets) for one in experiments if one.draws_heatmaps),
        "draw_codes": sum(len(one.datasets) for one in experiments if one.settings.between_fits),
        "draw_traversals": sum(
            len(one.datasets) * len(one.chains) for one in experiments if one.settings.traversals
        ),
        "draw_mixture_images": sum(
            len(one.datasets) * len(one.settings.mixture_images) for one in experiments
        ),
        "draw_graphs": sum(len(one.datasets) * len(one.settings.graphs) for one in experiments),
        "draw_balls": sum(len(one.datasets) * len(one.readers) for one in experiments),
        "draw_cost": sum(one.draws_costs for one in experiments),
        "draw_curves": sum(bool(one.settings.curves) for one in experiments),
        "search_likelihood": len(study.config.toys),
        "draw_likelihood": len(study.config.toys),
        "summarise": 1,
        "draw_supports": 1,
    }


def fits_of(runs: Iterable[tuple[str, int, str]]) -> set[tuple[str, int, str]]:
    """The fits behind runs: one for every part of a chain."""
    return {(dataset, seed, part) for dataset, seed, chain in runs for part in prefixes(chain)}


def _counts(runs: list[tuple[str, int, str]], datasets: int) -> dict[str, int]:
    return {"datasets": datasets, "fits": len(fits_of(runs)), "evaluations": len(runs)}
