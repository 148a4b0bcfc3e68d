"""The benchmark's table in words and its growth as a plot."""

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from measuring import REPEATS, SHORT
from targets import outcomes

Row = dict[str, Any]


def csv_text(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table as CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([head, *rows])
    return text.getvalue()


def render_markdown(rows: list[Row], yard: float, picture: str) -> str:
    """Every measurement, and what the project promises; ``picture`` is the file of the plot."""
    head = ["method", "n", "samples", "seconds", "yardsticks", "MCC", "R2", "fit (MB)", "peak (MB)", "note"]
    lines = [
        "# Benchmarks",
        "",
        "Measured in one run on one machine by `make bench`, each method in its own process with one thread, at the",
        "base setting (k=1, m=10, rho=0.5). One yardstick is a 1500 x 1500 float32 matrix product on that machine:",
        f"{yard:.4f} s.",
        "",
        "## Promises",
        "",
        "| promise | measured | |",
        "|---|---|---|",
        *(
            f"| {one.promise} | {one.measured} | {'kept' if one.kept else 'missed'} |"
            for one in outcomes(rows)
        ),
        "",
        *_against_stage1(rows),
        "## Measurements",
        "",
        "`fit` is the memory that the fit adds to the process, `peak` the most that the process had. Extrapolated",
        f"times were measured on few steps and scaled. Of fits that take less than {SHORT:.0f} s the fastest of "
        f"{REPEATS} counts.",
        "",
        f"| {' | '.join(head)} |",
        f"|{'---|' * len(head)}",
        *(f"| {' | '.join(_cells(row))} |" for row in rows),
        "",
        f"![Training time of flow+spike_slab against latents and samples]({picture})",
        "",
    ]
    return "\n".join(lines)


def _cells(row: Row) -> list[str]:
    return [
        f"`{row['method']}`",
        str(row["n"]),
        f"{row['samples']:,}",
        f"{row['seconds']:,.3g}" if row["seconds"] < 1000 else f"{row['seconds']:,.0f}",
        f"{row['yardsticks']:,}",
        *(str(row[name]) for name in ("mcc", "r2", "memory_mb", "peak_memory_mb", "note")),
    ]


def _against_stage1(rows: list[Row]) -> list[str]:
    flow = next((r for r in rows if r["group"] == "growth with n" and r["n"] == 10), None)
    stage1 = next((r for r in rows if r["group"] == "stage 1"), None)
    if not (flow and stage1):
        return []
    times = stage1["seconds"] / flow["seconds"]
    return [
        f"At n = 10, `flow+spike_slab` takes 1/{times:,.0f} of the paper's stage 1 alone (extrapolated).",
        "",
    ]


def save_plot(rows: list[Row], path: Path) -> None:
    """Seconds against n and against samples, both on logarithmic axes."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import LogLocator, NullLocator, StrMethodFormatter

    figure = Figure(figsize=(9, 3.6), layout="constrained")
    panels = (("growth with n", "n", "latents"), ("growth with samples", "samples", "training samples"))
    for axis, (group, key, label) in zip(figure.subplots(1, 2), panels, strict=True):
        chosen = [row for row in rows if row["group"] == group]
        axis.loglog([row[key] for row in chosen], [row["seconds"] for row in chosen], "o-", color="#1f4e79")
        axis.set_xticks([row[key] for row in chosen], labels=[f"{row[key]:,}" for row in chosen])
        axis.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.yaxis.set_major_formatter(StrMethodFormatter("{x:,g}"))
        for side in (axis.xaxis, axis.yaxis):
            side.set_minor_locator(NullLocator())
        axis.set_xlabel(label)
        axis.set_ylabel("seconds, one thread")
        axis.set_title(f"flow+spike_slab: {group}", fontsize=10)
        axis.grid(True, alpha=0.3)
    figure.savefig(path)
