"""The page of the benchmark: its tables, its comparisons in words, and a plot of how times grow."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from measuring import REPEATS, SHORT, Row
from speed_cases import FLOW, stage1_products

PAGE = """\
# Benchmarks

Measured in one run on one machine by `make bench`, each method in its own process with one thread, at the
base setting (k=1, m=10, rho=0.5). One yardstick is a 1500 x 1500 float32 matrix product on that machine:
{yard:.4f} s.

## Methods compared

{compared}

## Measurements

`fit` is the memory that the fit adds to the process, `peak` the most that the process had. Extrapolated
times were measured on few steps and scaled. Of fits that take less than {short:.0f} s the fastest of {repeats}
counts.

| method | n | samples | seconds | yardsticks | MCC | R2 | fit (MB) | peak (MB) | note |
|---|---|---|---|---|---|---|---|---|---|
{rows}

![Training time of {flow} against latents and samples]({picture})
"""


def csv_text(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table as CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([head, *rows])
    return text.getvalue()


def read_rows(path: Path) -> list[Row]:
    """The rows of a table that :func:`csv_text` wrote."""
    numbers = {"n": int, "samples": int, "seconds": float, "yardsticks": float, "extrapolated": int}
    with path.open(newline="", encoding="utf-8") as file:
        return [
            row | {name: kind(row[name]) for name, kind in numbers.items()} for row in csv.DictReader(file)
        ]


def render_markdown(rows: list[Row], yard: float, picture: str) -> str:
    """Every measurement and how the methods compare; ``picture`` is the file of the plot."""
    return PAGE.format(
        yard=yard,
        compared="\n".join(f"- {sentence}" for sentence in compared(rows)),
        short=SHORT,
        repeats=REPEATS,
        rows="\n".join(f"| {' | '.join(_cells(row))} |" for row in rows),
        flow=FLOW,
        picture=picture,
    )


def compared(rows: list[Row]) -> Iterator[str]:
    """Sentences that compare the times of two methods, if ``rows`` have both."""

    def found(group: str, method: str, n: int, extrapolated: int = 0) -> Row | None:
        wanted = (group, method, n, extrapolated)
        keys = ("group", "method", "n", "extrapolated")
        return next((row for row in rows if tuple(row[key] for key in keys) == wanted), None)

    for n in sorted({row["n"] for row in rows}):
        ours, ica = (found("affine", method, n) for method in ("spike_slab", "fastica"))
        if ours and ica:
            yield (
                f"n = {n}: `spike_slab` takes {ours['seconds'] / ica['seconds']:.1f} times as long as FastICA; "
                f"its MCC is {float(ours['mcc']):.3f}, FastICA's {float(ica['mcc']):.3f}."
            )
        paper = found("affine", "lagrangian", n, 1)
        if ours and paper:
            times = paper["seconds"] / ours["seconds"]
            yield f"n = {n}: `spike_slab` takes 1/{times:,.0f} of the paper's stage 2 (extrapolated)."
        flow, stage1 = found("growth with n", FLOW, n), found("stage 1", "autoencoder", n, 1)
        if flow and stage1:
            times = stage1["seconds"] / flow["seconds"]
            yield f"n = {n}: `{FLOW}` takes 1/{times:,.0f} of the paper's stage 1 alone (extrapolated)."
        shorter = found("stage 1, bfloat16", "autoencoder", n, 1)
        if stage1 and shorter:
            times = stage1["yardsticks"] / stage1_products(n)
            yield (
                f"n = {n}: the paper's stage 1 takes {times:.2f} times as long as its matrix products would take at "
                "the speed of the yardstick; with products in bfloat16 it takes "
                f"1/{stage1['seconds'] / shorter['seconds']:.1f} of its time."
            )


def _cells(row: Row) -> list[str]:
    return [
        f"`{row['method']}`",
        str(row["n"]),
        f"{row['samples']:,}",
        f"{row['seconds']:,.3g}" if row["seconds"] < 1000 else f"{row['seconds']:,.0f}",
        f"{row['yardsticks']:,}",
        *(str(row[name]) for name in ("mcc", "r2", "memory_mb", "peak_memory_mb", "note")),
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
        axis.set_title(f"{FLOW}: {group}", fontsize=10)
        axis.grid(True, alpha=0.3)
    figure.savefig(path)
