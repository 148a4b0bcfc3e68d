"""What `pdgmm fit --quick` says of noisy tables: `python benchmarks/noisy_tables/run.py` writes docs/noisy-tables.md.

Every table is fitted as a user would fit it, page included, under ``results/noisy-tables``. A study that is already
there is not fitted again.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from tables import DRAWN, REAL, ROWS, Drawn

from pdgmm.analysis.answers import Answers
from pdgmm.analysis.fitting.run_analysis import run_analysis
from pdgmm.analysis.options import AnalysisOptions, ReadOptions
from pdgmm.analysis.page.analysis_page import write_page
from pdgmm.analysis.wording import duration, percent
from pdgmm.evaluation.correlation import correlation
from pdgmm.store.atomic import write_text

FOLDER = Path("results") / "noisy-tables"
RIGHT = 0.95
"""A latent is right if its correlation with a true one exceeds this. Noise alone lowers it."""


def fitted(name: str, table: pd.DataFrame) -> Answers:
    """The answers on a table, with the page beside them."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    path, study = FOLDER / f"{name}.csv", FOLDER / name
    if not path.exists():
        table.to_csv(path, index=False)
    answers = run_analysis(path, study, ReadOptions(index_column=None), AnalysisOptions(quick=True))
    write_page(study, answers)
    print(f"{name}: {answers.count.sentence} {duration(answers.seconds)}", flush=True)
    return answers


def drawn_row(case: Drawn) -> tuple[str, bool]:
    """The line of a drawn table, and whether its number of latents is right within one."""
    table, truth = case.draw()
    answers = fitted(case.name, table)
    latents = pd.read_csv(FOLDER / case.name / "latents.csv", index_col=0).to_numpy()
    closest = np.abs(correlation(truth, latents)).max(axis=0)
    trusted = [closest[number - 1] for number in sorted(answers.trusted)]
    right = sum(value > RIGHT for value in trusted)
    cells = [
        case.seed,
        case.n,
        case.columns,
        f"{case.decibels} dB",
        case.mixing,
        f"**{answers.n_latents}**",
        answers.count.verdict,
        len(trusted),
        right,
    ]
    return f"| {' | '.join(map(str, cells))} |", abs(answers.n_latents - case.n) <= 1


def real_row(name: str) -> str:
    """The line of a real table."""
    package, load = REAL[name]
    answers = fitted(name, load())
    count, chosen = answers.count, answers.n_latents
    held = percent(min(1.0, sum(count.explained_variance[:chosen])), 0)
    shape = {"holds": "yes", "violated": "no", "doubtful": "doubtful", "unknown": "not checked"}
    resting = sum(entry.rests for entry in answers.assumptions.latents)
    rows, columns = answers.data.rows, len(answers.data.columns)
    cells = [name, package, f"{rows:,}", columns, f"**{chosen}**", held, shape[count.non_gaussian], resting]
    return f"| {' | '.join(map(str, [*cells, len(answers.trusted)]))} |"


def page(drawn: list[tuple[str, bool]], real: list[str]) -> str:
    """Both tables as Markdown."""
    right = sum(within for _, within in drawn)
    return "\n".join(
        [
            "# Noisy tables",
            "",
            "Written by `make noisy-tables`, which fits every table with `pdgmm fit --quick`.",
            "",
            "## Tables whose number of latents is known",
            "",
            f"{len(drawn)} tables of {ROWS:,} rows were drawn from `pdgmm` worlds, with Gaussian noise on every "
            "column, given as the ratio of signal to noise. `pdgmm fit` is not told the number of latents: it "
            f"chose the right one, or one beside it, in {right} of {len(drawn)} tables. A trusted latent is right if "
            f"its correlation with a true one exceeds {RIGHT}.",
            "",
            "| seed | latents | columns | noise | mixing | chosen | verdict | trusted | of these right |",
            "|---:|---:|---:|---:|---|---:|---|---:|---:|",
            *(line for line, _ in drawn),
            "",
            "## Real tables",
            "",
            "Nobody knows how many latents these have. *Variance* is the share "
            "that the same number of principal directions holds. "
            "*More than Gaussian* says whether latents that rest explain new rows better than Gaussian ones do. "
            "*Rest* counts the latents that rest at one value in part of the rows.",
            "",
            "| table | shipped by | rows | columns | chosen | variance | more than Gaussian | rest | trusted |",
            "|---|---|---:|---:|---:|---:|---|---:|---:|",
            *real,
            "",
        ]
    )


def main() -> None:
    """Fit all tables and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("docs/noisy-tables.md"), help="page to write")
    options = parser.parse_args()
    drawn = [drawn_row(case) for case in DRAWN]
    real = [real_row(name) for name in REAL]
    write_text(options.out, page(drawn, real))
    print(f"wrote {options.out}")


if __name__ == "__main__":
    main()
