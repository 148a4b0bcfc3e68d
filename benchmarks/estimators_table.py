"""The table of docs/estimators-measured.md: every setting of Table 1, on two groups of datasets."""

from pathlib import Path

import pandas as pd

from pdgmm.report.value_words import setting_label

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "estimators-measured.md"
FIRST, AGAIN = "estimators", "estimators_again"
"""The experiments of the two groups of seeds."""

KEYS = ("n", "k", "m", "rho", "delta", "theta")
BASE = {"n": 10, "k": 1, "m": 10, "rho": "0.5", "delta": 0.0, "theta": 0.0}
FLOW = "flow+spike_slab"
COLUMNS = [
    ("`fastica`", FIRST, "fastica", "test"),
    ("`spike_slab`", FIRST, "spike_slab", "test"),
    ("flow", FIRST, FLOW, "test"),
    ("flow, seeds 5 to 9", AGAIN, FLOW, "test"),
    ("flow, all active", FIRST, FLOW, "unmasked"),
    ("flow, all active, seeds 5 to 9", AGAIN, FLOW, "unmasked"),
]
"""Heading, experiment, method and split. Without a word on seeds they are 0 to 4."""


def measured(folder: Path = ROOT / "docs" / "reproduction") -> pd.DataFrame:
    """MCC in both experiments."""
    files = (folder / f"{name}.csv" for name in (FIRST, AGAIN))
    table = pd.concat([pd.read_csv(file, dtype={"setting_rho": str}) for file in files])
    return table[table["metric"] == "mcc"]


def estimators_table(table: pd.DataFrame) -> str:
    """The block in Markdown: mean MCC, and in brackets that of the worst dataset."""
    lines = [
        "| setting | " + " | ".join(head for head, *_ in COLUMNS) + " |",
        "|---|" + "---:|" * len(COLUMNS),
    ]
    for row in table.drop_duplicates("dataset").to_dict("records"):
        setting = {key: row[f"setting_{key}"] for key in KEYS}
        here = table[table["dataset"] == row["dataset"]]
        # If latents are rotated, single ones rest before the rotation, and those are what there is to be found.
        splits = {} if setting["theta"] == BASE["theta"] else {"test": "test_source", "unmasked": ""}
        cells = [
            _cell(here, experiment, method, splits.get(split, split))
            for _, experiment, method, split in COLUMNS
        ]
        lines.append(f"| {setting_label(setting, BASE)} | {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def _cell(here: pd.DataFrame, experiment: str, method: str, split: str) -> str:
    asked = (here["experiment"] == experiment) & (here["method"] == method) & (here["split"] == split)
    found = here[asked]
    return "–" if found.empty else f"{found['mean'].item():.3f} ({found['worst'].item():.3f})"
