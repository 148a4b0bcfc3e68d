"""Measure every case in one run and write ``results/benchmarks.{csv,md,svg}``, and the same into ``docs``.

A quick run, or one of a single group, writes ``results/benchmarks-part.*`` and leaves the others alone. The CSV file
grows case by case.
"""

import argparse
import csv
import shutil
import tempfile
import time
from pathlib import Path

import numpy as np
from huge_tables import measure_huge_tables
from images import measure_images
from measuring import Row, measure
from render import render_markdown, save_plot
from scaling.yardstick import yardstick
from speed_cases import CASES

from pdgmm.store.atomic import write_text

RESULTS, DOCS = Path("results"), Path("docs")

SECTIONS = {"images": measure_images, "huge_tables": measure_huge_tables}
"""What the page has besides fits; a run that is not whole leaves out the tables, which take minutes."""


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="leave out what takes minutes")
    parser.add_argument("--group", help="measure this group only, for example affine")
    options = parser.parse_args()
    whole = not (options.quick or options.group)
    out = RESULTS / ("benchmarks" if whole else "benchmarks-part")
    out.parent.mkdir(parents=True, exist_ok=True)
    cases = [case for case in CASES if not (options.quick and case.minutes)]
    cases = [case for case in cases if options.group in (None, case.group)]
    yard = yardstick()
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        for number, case in enumerate(cases, start=1):
            started = time.monotonic()
            rows.append(measure(case, Path(folder), rows, yard))
            took = time.monotonic() - started
            name = f"{case.method}, n={case.n}, {case.samples:,} samples"
            seconds, note = rows[-1]["seconds"], rows[-1]["note"]
            print(f"[{number}/{len(cases)}] {name}: {seconds:.4g} s (in all {took:.0f} s) {note}", flush=True)
            write_rows(rows, out.with_suffix(".csv"))
    save_plot(rows, out.with_suffix(".svg"))
    page = render_markdown(rows, yard, out.with_suffix(".svg").name)
    for name, measure_section in SECTIONS.items():
        if whole or name == "images":
            section, table = measure_section()
            page = f"{page}\n{section}"
            write_text(out.with_name(f"{out.name}_{name}.csv"), table)
    write_text(out.with_suffix(".md"), page)
    print(f"wrote {out}.csv, .md and .svg; yardstick {yard:.4f} s, NumPy {np.__version__}")
    if whole:
        for ending in (".csv", ".md", ".svg"):
            shutil.copy(out.with_suffix(ending), DOCS)
        print(f"and the same into {DOCS}")


def write_rows(rows: list[Row], path: Path) -> None:
    """The table as CSV."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
