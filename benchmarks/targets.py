"""What the project promises of its speed, held against the measurements."""

from collections.abc import Iterator
from typing import Any, NamedTuple

Row = dict[str, Any]

MOST_TIMES_FASTICA = 5
LEAST_TIMES_FASTER = 1_000
"""Than the paper's stage 2."""

MOST_SECONDS = {10: 60, 40: 300}
"""Of ``flow+spike_slab`` with 100,000 samples, by the number of latents."""


class Outcome(NamedTuple):
    """A promise in words, what was measured, and whether it was kept."""

    promise: str
    measured: str
    kept: bool


def outcomes(rows: list[Row]) -> Iterator[Outcome]:
    """Every promise of which ``rows`` have the measurements."""
    affine = [row for row in rows if row["group"] == "affine"]
    for n in sorted({row["n"] for row in affine}):
        ours, ica = (_find(affine, n, f"identity+{method}") for method in ("spike_slab", "fastica"))
        if ours and ica:
            times = ours["seconds"] / ica["seconds"]
            yield Outcome(
                f"n = {n}: `spike_slab` takes at most {MOST_TIMES_FASTICA} times as long as FastICA, at a higher MCC",
                f"{times:.1f} times; MCC {ours['mcc']:.3f} and {ica['mcc']:.3f}",
                times <= MOST_TIMES_FASTICA and ours["mcc"] > ica["mcc"],
            )
        paper = _find(affine, n, "identity+lagrangian", extrapolated=1)
        if ours and paper:
            times = paper["seconds"] / ours["seconds"]
            yield Outcome(
                f"n = {n}: `spike_slab` takes at most 1/{LEAST_TIMES_FASTER:,} of the paper's stage 2 (extrapolated)",
                f"1/{times:,.0f}",
                times >= LEAST_TIMES_FASTER,
            )
    growth = [row for row in rows if row["group"] == "growth with n"]
    for n, most in MOST_SECONDS.items():
        if flow := _find(growth, n, "flow+spike_slab"):
            yield Outcome(
                f"n = {n}: `flow+spike_slab` takes at most {most} s with {flow['samples']:,} samples",
                f"{flow['seconds']:.0f} s, {flow['yardsticks']:,.0f} yardsticks",
                flow["seconds"] <= most,
            )


def _find(rows: list[Row], n: int, method: str, extrapolated: int = 0) -> Row | None:
    wanted = (n, method, extrapolated)
    return next((row for row in rows if (row["n"], row["method"], row["extrapolated"]) == wanted), None)
