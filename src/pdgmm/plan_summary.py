"""A config in numbers, before anything runs."""

from pdgmm.study import Study, split_method


def plan_summary(study: Study) -> str:
    """A table of what every experiment, and the study as a whole, will make; shared runs count once."""
    rows = [("experiment", "datasets", "stage-1 trainings", "stage-2 trainings", "evaluations")]
    rows += [
        (name, *_counts(list(planned.runs()), len(planned.settings.seeds) * len(planned.datasets)))
        for name, planned in study.experiments.items()
    ]
    drawn = {(name, seed) for name, seed, _ in study.runs()}
    rows.append(("all, shared runs once", *_counts(study.runs(), len(drawn))))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        "  ".join(
            [row[0].ljust(widths[0]), *(cell.rjust(w) for cell, w in zip(row[1:], widths[1:], strict=True))]
        )
        for row in rows
    ]
    rule = "-" * len(lines[0])
    return "\n".join([lines[0], rule, *lines[1:-1], rule, lines[-1]])


def _counts(runs: list[tuple[str, int, str]], datasets: int) -> tuple[str, str, str, str]:
    stage1 = {(name, seed, split_method(method)[0]) for name, seed, method in runs}
    return f"{datasets:,}", f"{len(stage1):,}", f"{len(runs):,}", f"{len(runs):,}"
