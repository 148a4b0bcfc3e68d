"""The benchmark's table in words and its growth as a plot."""

from pathlib import Path
from typing import Any

Row = dict[str, Any]


def render_markdown(rows: list[Row], yard: float) -> str:
    """Every measurement, and the ratios that the project promises."""
    lines = [
        "# Benchmarks",
        "",
        "Measured in one run on one machine by `make bench`, each method in its own process with one thread, at the",
        f"base setting (k=1, m=10, rho=0.5). One yardstick is a 1500 x 1500 float32 matrix product: {yard:.4f} s.",
        "Memory is what the fit adds to the process; extrapolated times were measured on few steps and scaled.",
        "",
        "| group | method | n | samples | seconds | yardsticks | MCC | R2 | memory (MB) | note |",
        "|---|---|--:|--:|--:|--:|--:|--:|--:|---|",
    ]
    for row in rows:
        note = f"extrapolated, {row['extrapolated']}" if row["extrapolated"] else ""
        cells = [
            row["group"],
            f"`{row['method']}`",
            row["n"],
            f"{row['samples']:,}",
            f"{row['seconds']:,.3g}",
        ]
        cells += [f"{row['yardsticks']:,}", row["mcc"], row["r2"], row["memory_mb"], note]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join([*lines, "", "## Ratios", "", *_ratios(rows), ""])


def _ratios(rows: list[Row]) -> list[str]:
    """`spike_slab` against FastICA and against the paper's stage 2; `flow` against the paper's stage 1."""
    lines = []
    for n in sorted({row["n"] for row in rows if row["group"] == "affine"}):
        by_method = {
            r["method"]: r for r in rows if r["group"] == "affine" and r["n"] == n and r["extrapolated"]
        }
        by_method |= {
            r["method"]: r
            for r in rows
            if r["group"] == "affine" and r["n"] == n and r["method"] != "identity+lagrangian"
        }
        ours, ica = by_method["identity+spike_slab"], by_method["identity+fastica"]
        paper = by_method["identity+lagrangian"]
        lines.append(
            f"- n = {n}: `spike_slab` takes {ours['seconds'] / ica['seconds']:.1f} x the time of FastICA "
            f"(MCC {ours['mcc']:.3f} against {ica['mcc']:.3f}) and 1/{paper['seconds'] / ours['seconds']:,.0f} of "
            "the paper's stage 2 (extrapolated)."
        )
    flow = next((r for r in rows if r["method"] == "flow+spike_slab" and r["n"] == 10), None)
    stage1 = next((r for r in rows if r["group"] == "stage 1"), None)
    if flow and stage1:
        lines.append(
            f"- n = 10: `flow+spike_slab` takes 1/{stage1['seconds'] / flow['seconds']:,.0f} of the paper's stage 1 "
            "(extrapolated)."
        )
    return lines


def save_plot(rows: list[Row], path: Path) -> None:
    """Seconds against n and against samples, both on logarithmic axes."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.6), layout="constrained")
    panels = (("growth with n", "n", "latents"), ("growth with samples", "samples", "training samples"))
    for axis, (group, key, label) in zip(figure.subplots(1, 2), panels, strict=True):
        chosen = [row for row in rows if row["group"] == group]
        axis.loglog([row[key] for row in chosen], [row["seconds"] for row in chosen], "o-", color="#1f4e79")
        axis.set_xlabel(label)
        axis.set_ylabel("seconds, one thread")
        axis.set_title(f"flow+spike_slab: {group}", fontsize=10)
        axis.grid(True, which="both", alpha=0.3)
    figure.savefig(path)
