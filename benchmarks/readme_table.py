"""The tables of README.md and docs/estimators-measured.md, from what `make reproduction` writes to docs/.

README shows some of the settings; the line below its table counts them all.
"""

from pathlib import Path

import pandas as pd
from estimators_table import PAGE, estimators_table
from estimators_table import measured as measured_groups

from pdgmm.store.atomic import write_text

ROOT = Path(__file__).parents[1]
README, MEASURED = ROOT / "README.md", ROOT / "docs" / "reproduction" / "estimators.csv"
BEGIN, END = "<!-- table: written by `make readme-table` -->\n\n", "<!-- end of table -->"

BASE = {"n": 10, "k": 1, "m": 10, "rho": "0.5", "delta": 0.0, "theta": 0.0}
SHOWN = {
    "10 latents": {},
    "40 latents": {"n": 40},
    "three causal edges for each latent": {"k": 3},
    "only one latent active at a time": {"rho": "1var"},
    "resting two standard deviations from the mean": {"delta": 2.0},
    "latents rotated by 15°": {"theta": 15.0},
}
"""What differs from the paper's base setting in each row."""

OURS, BASELINE = "flow+spike_slab", "fastica"


def measured(path: Path = MEASURED) -> pd.DataFrame:
    """MCC on held-out samples, a row for each setting and method."""
    table = pd.read_csv(path, dtype={"setting_rho": str})
    return table[(table["split"] == "test") & (table["metric"] == "mcc")]


def readme_table(table: pd.DataFrame) -> str:
    """The block in Markdown."""
    lines = ["| setting | paper | FastICA | `flow+spike_slab` |", "|---|---:|---:|---:|"]
    for words, changed in SHOWN.items():
        here = table
        for key, value in (BASE | changed).items():
            here = here[here[f"setting_{key}"] == value]
        ours, baseline = (_cell(here, method) for method in (OURS, BASELINE))
        published = here[["published_mean", "published_std"]].iloc[0]
        paper = _value(published["published_mean"], published["published_std"])
        lines.append(f"| {words} | {paper} | {baseline} | {ours} |")
    samples, seeds = (table[column].unique() for column in ("train_samples", "n_ok"))
    if len(samples) != 1:
        raise ValueError(f"the settings of {MEASURED} have different numbers of training samples: {samples}")
    seeds_each = f"{seeds.min()}" if len(seeds) == 1 else f"{seeds.min()} to {seeds.max()}"
    return "\n".join(
        [
            *lines,
            "",
            f"MCC on held-out samples, mean ± standard deviation over {seeds_each} datasets of {samples[0]:,} "
            "training samples each.",
            f"Over all {table['dataset'].nunique()} settings of the paper's Table 1, `flow+spike_slab` is "
            f"{_counts(table, OURS)}; FastICA is {_counts(table, BASELINE)}.",
            "",
        ]
    )


def with_table(text: str, block: str) -> str:
    """The text of a page with another block between its two marks."""
    before, _, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        raise ValueError(f"the page has no lines {BEGIN.strip()!r} and {END.strip()!r} for the table")
    return f"{before}{BEGIN}{block}{end}{after}"


def _cell(here: pd.DataFrame, method: str) -> str:
    found = here[here["method"] == method]
    if len(found) != 1:
        raise ValueError(f"{MEASURED} has {len(found)} rows for {method} in a setting that README shows")
    return _value(found["mean"].item(), found["std"].item())


def _value(mean: float, deviation: float) -> str:
    return f"{mean:.2f} ± {deviation:.2f}"


def _counts(table: pd.DataFrame, method: str) -> str:
    verdicts = table[table["method"] == method]["verdict"].value_counts()
    better, agrees, worse = (verdicts.get(verdict, 0) for verdict in ("better", "agrees", "worse"))
    return f"better than published in {better}, as good in {agrees} and worse in {worse}"


if __name__ == "__main__":
    for page, block in ((README, readme_table(measured())), (PAGE, estimators_table(measured_groups()))):
        write_text(page, with_table(page.read_text(encoding="utf-8"), block))
        print(f"wrote {page.name}")
