"""Measure every case in one run and write ``results/benchmarks.{csv,md,svg}``, and the same into ``docs``.

A quick run, or a run of a single group, writes ``results/benchmarks-part.*`` and leaves the other files alone. The
CSV file grows case by case. `--section` measures one section of a finished page again.
"""

import argparse
import shutil
import tempfile
import time
from pathlib import Path

import numpy as np
from huge_tables import measure_huge_tables
from images import measure_images
from jacobians import measure_jacobians
from measuring import Row, measure
from python_fits import measure_python_fits
from render import csv_text, read_rows, render_markdown, save_plot
from scaling.yardstick import yardstick
from speed_cases import CASES, Case

from pdgmm.store.atomic import write_text

RESULTS, DOCS = Path("results"), Path("docs")

SECTIONS = {
    "python_fits": measure_python_fits,
    "images": measure_images,
    "jacobians": measure_jacobians,
    "huge_tables": measure_huge_tables,
}
"""The sections of the page besides fits."""

QUICK = ["images", "jacobians"]
"""Those of a quick or partial run: the others take minutes."""


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="leave out what takes minutes")
    parser.add_argument("--group", help="measure this group only, for example affine")
    parser.add_argument("--section", choices=SECTIONS, help="measure this again, keep the rest of the page")
    options = parser.parse_args()
    whole = not (options.quick or options.group)
    out = RESULTS / ("benchmarks" if whole else "benchmarks-part")
    out.parent.mkdir(parents=True, exist_ok=True)
    sections = list(SECTIONS) if whole else QUICK
    if options.section:
        if not _part(out, "fits", ".md").exists():
            parser.error(f"--section needs a finished {out}.md: run without it first")
        sections = [options.section]
    else:
        cases = [case for case in CASES if not (options.quick and case.minutes)]
        measure_fits([case for case in cases if options.group in (None, case.group)], out)
    for name in sections:
        section, table = SECTIONS[name]()
        write_text(_part(out, name, ".md"), section)
        write_text(_part(out, name, ".csv"), table)
    parts = [part for name in ("fits", *SECTIONS) if (part := _part(out, name, ".md")).exists()]
    write_text(out.with_suffix(".md"), "\n".join(part.read_text(encoding="utf-8") for part in parts))
    save_plot(read_rows(out.with_suffix(".csv")), out.with_suffix(".svg"))
    print(f"wrote {out}.csv, .md and .svg")
    if whole:
        for ending in (".csv", ".md", ".svg"):
            shutil.copy(out.with_suffix(ending), DOCS)
        print(f"and the same into {DOCS}")


def measure_fits(cases: list[Case], out: Path) -> None:
    """The fits' part of the page, and their table."""
    yard = yardstick()
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        for number, case in enumerate(cases, start=1):
            started = time.monotonic()
            rows.append(measure(case, Path(folder), yard))
            took = time.monotonic() - started
            name = f"{case.method}, n={case.n}, {case.samples:,} samples"
            seconds, note = rows[-1]["seconds"], rows[-1]["note"]
            print(f"[{number}/{len(cases)}] {name}: {seconds:.4g} s (in all {took:.0f} s) {note}", flush=True)
            write_text(out.with_suffix(".csv"), csv_text(list(rows[0]), [list(row.values()) for row in rows]))
    write_text(_part(out, "fits", ".md"), render_markdown(rows, yard, out.with_suffix(".svg").name))
    print(f"yardstick {yard:.4f} s, NumPy {np.__version__}")


def _part(out: Path, name: str, ending: str) -> Path:
    return out.with_name(f"{out.name}_{name}{ending}")


if __name__ == "__main__":
    main()
