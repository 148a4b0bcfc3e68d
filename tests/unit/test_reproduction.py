"""The document of the reproduced tables."""

import copy
import io

import pandas as pd
import pytest

from pdgmm.report.tables import render_tables
from pdgmm.reproduction import write_reproduction
from pdgmm.store.atomic import write_text
from pdgmm.study.planning import plan_study

BASE = {"n": 10, "k": 1, "m": 10, "rho": 0.5, "delta": 0, "theta": 0}
METHODS = ["flow+spike_slab", "autoencoder+lagrangian", "autoencoder+none", "identity+fastica"]
EXPERIMENT = {"dataset": "pdgmm", "methods": METHODS, "seeds": [0], "published_table": "3"}
CONFIG = {
    "datasets": {"pdgmm": {}},
    "stage2": {"lagrangian": {"steps": 3000}},
    "experiments": {
        "first": {**EXPERIMENT, "title": "The first table", "note": "Said under it."},
        "again": {**EXPERIMENT, "title": "The same runs again"},
        "later": {**EXPERIMENT, "title": "Another table", "set": {"n": 20}},
    },
}
DATASET = plan_study(copy.deepcopy(CONFIG)).experiments["first"].datasets[0].name
REDUCED = "stage 2: steps 3,000 of 80,000"


def runs(experiment, method, values, **changes):
    return [
        {
            "experiment": experiment,
            "dataset": DATASET,
            "setting": BASE,
            "method": method,
            "size": "",
            "seed": seed,
            "status": "ok",
            "reason": "",
            "metrics": {"test": {"mcc": value, "r2": 0.94}, "unmasked": {"mcc": value - 0.01}},
            "seconds": None,
            "published_table": "3",
            **changes,
        }
        for seed, value in enumerate(values)
    ]


@pytest.fixture
def written(tmp_path):
    """The two files, of a study whose last experiment has not run."""
    ours = runs("first", "flow+spike_slab", [0.99, 0.992], size="600 steps")
    paper = runs("first", "autoencoder+lagrangian", [0.60, 0.62], reduced=REDUCED)
    failed = runs("first", "autoencoder+none", [0], status="diverged", reason="NaN", metrics={})
    baseline = runs("first", "identity+fastica", [0.9])
    again = [{**run, "experiment": "again"} for run in ours]
    for name, records in (("first", [*ours, *paper, *failed, *baseline]), ("again", again)):
        write_text(tmp_path / "results" / "tables" / f"{name}.csv", render_tables(records, "csv"))
    study = plan_study(copy.deepcopy(CONFIG))
    markdown, table, *_ = write_reproduction(study, tmp_path / "results", tmp_path / "docs", "the command")
    return markdown.read_text(), pd.read_csv(io.StringIO(table.read_text()))


def test_the_counts_come_first_and_every_experiment_follows(written):
    text, _ = written
    places = [
        text.index(f"## {title}")
        for title in ("Agreement with the paper", "The first table", "The same runs again", "Another table")
    ]
    assert places == sorted(places)
    assert "Said under it." in text
    assert "`the command`" in text
    assert text.split("## Another table")[1].strip() == "Not run yet."
    assert "An earlier table has all of this" in text.split("## The same runs again")[1]


def test_a_picture_stands_beside_the_document_and_in_it(written, tmp_path):
    text, _ = written
    assert "](reproduction.svg)" in text
    assert (tmp_path / "docs" / "reproduction.svg").read_text().rstrip().endswith("</svg>")


def test_rows_have_both_values_the_difference_and_a_verdict(written):
    text, _ = written
    assert (
        "| base | `flow+spike_slab` | MCC, held-out samples | 0.97 ± 0.01 | 0.991 ± 0.001 | 2 | +0.02 | better |"
        in text
    )
    assert "| 0.97 ± 0.01 | 0.610 ± 0.014 | 2 | −0.36 | at reduced size |" in text
    assert "| failed (1 of 1) | 0 of 1 | – | failed |" in text


def test_baselines_share_a_line(written):
    text, _ = written
    compared, rest = text.split("## The first table")[1].split("Baselines, measured")
    assert "| `identity+fastica` |" not in compared, "they have no line of their own"
    below = rest.split("Measured, with nothing published")[0]
    assert "| setting | measure | published | `identity+fastica` |" in below
    assert "| base | MCC, held-out samples | 0.97 | 0.900 (−0.07) |" in below
    assert "lagrangian" not in below, "the paper's stage 2 is no baseline of its own R²"


def test_every_experiment_says_its_seeds_samples_and_sizes(written):
    text, _ = written
    first = text.split("## The first table")[1].split("| setting")[0]
    assert "1 to 2 seeds, 100,000 training samples. Sizes:" in first
    assert f"- `autoencoder+lagrangian`: less than the paper's, {REDUCED}." in first
    assert "- `flow+spike_slab`: 600 steps." in first
    assert "- `autoencoder+none`, `identity+fastica`: nothing to choose." in first


def test_what_has_no_published_value_stands_below(written):
    text, _ = written
    below = text.split("with nothing published to hold against it:")[1].split("## ")[0]
    assert "| setting | method | MCC, samples with every latent active | seeds |" in below
    assert "| base | `flow+spike_slab` | 0.981 ± 0.001 | 2 |" in below
    assert "| base | `identity+fastica` | 0.890 | 1 |" in below
    assert "| base | `autoencoder+lagrangian`† | 0.600 ± 0.014 | 2 |" in below
    assert "†: run at less than the paper's size" in below


def test_the_oracle_and_the_true_latents_have_their_own_lines(tmp_path):
    config = copy.deepcopy(CONFIG)
    config["experiments"] = {
        "told": {**EXPERIMENT, "methods": ["identity+oracle"], "title": "Told", "graphs": ["pc"]}
    }
    study = plan_study(config)
    graph = {"graph_pc": {"shd": 9.8, "skeleton_f1": 0.9, "aid": 0.2}}
    records = runs("told", "identity+oracle", [0.98]) + runs(
        "told", "true latents", [0], reference=True, metrics=graph
    )
    write_text(tmp_path / "results" / "tables" / "told.csv", render_tables(records, "csv"))
    markdown, *_ = write_reproduction(study, tmp_path / "results", tmp_path / "docs", "the command")
    text = markdown.read_text().split("## Told")[1]
    assert "| `identity+oracle` | MCC, held-out samples | 0.98 ± 0.00 | 0.980 | 1 | 0.00 | agrees |" in text
    assert "| `true latents` | SHD to the true CPDAG, causal graph found by pc | 1.80 ± 1.79 | 9.8 |" in text
    assert (
        "- `true latents`, SHD to the true CPDAG, causal graph found by pc: worse than the paper's PC" in text
    )
    assert "F1 of the edges without their directions" in text.split("nothing published")[1]


def test_only_a_table_of_repetitions_refers_to_an_earlier_one(tmp_path):
    config = copy.deepcopy(CONFIG)
    write_text(
        tmp_path / "results" / "tables" / "first.csv",
        render_tables(runs("first", "flow+spike_slab", [0.99]), "csv"),
    )
    again = runs("again", "flow+spike_slab", [0.99]) + runs("again", "identity+fastica", [0.9])
    write_text(tmp_path / "results" / "tables" / "again.csv", render_tables(again, "csv"))
    # Another sweep, or the first table would be given the rows of the second.
    config["experiments"]["again"]["vary"] = {"n": [10]}
    markdown, *_ = write_reproduction(
        plan_study(config), tmp_path / "results", tmp_path / "docs", "the command"
    )
    text = markdown.read_text().split("## The same runs again")[1].split("## ")[0]
    assert "has all of this" not in text
    assert (
        "What an earlier table has is left out; [again.csv](reproduction/again.csv) has everything." in text
    )
    assert "`identity+fastica`" in text
    assert "flow+spike_slab" not in text


def test_a_disagreement_is_a_sentence_of_facts(written):
    text, _ = written
    sentences = [
        line
        for line in text.splitlines()
        if line.startswith("- ") and "than the paper's " in line and "setting" in line
    ]
    assert sentences == [
        "- `flow+spike_slab`, MCC, held-out samples: better than the paper's stage 2 by more than two standard "
        "errors in 1 setting: base (+0.02, 0.991 ± 0.001).",
        "- `autoencoder+lagrangian`, MCC, held-out samples: lower than the paper's stage 2 by more than two standard "
        "errors in 1 setting: base (−0.36, 0.610 ± 0.014). Run at less than the paper's size (stage 2: steps 3,000 "
        "of 80,000), which may be the reason.",
    ]


def test_the_csv_has_every_compared_value_once(written):
    _, table = written
    assert set(table["method"]) == {
        "flow+spike_slab",
        "autoencoder+lagrangian",
        "autoencoder+none",
        "identity+fastica",
    }
    assert set(table["experiment"]) == {"first"}
    row = table[(table["method"] == "autoencoder+lagrangian") & (table["metric"] == "mcc")].iloc[0]
    assert (row["published_mean"], row["published_table"], row["reduced"]) == (0.97, 3, REDUCED)
    assert pd.isna(row["verdict"])


def test_a_study_of_which_nothing_ran_says_so(tmp_path):
    study = plan_study(copy.deepcopy(CONFIG))
    markdown, table = write_reproduction(study, tmp_path / "nothing", tmp_path / "docs", "the command")
    assert "No experiment has run yet." in markdown.read_text()
    assert markdown.read_text().count("Not run yet.") == 3
    assert len(pd.read_csv(table)) == 0
