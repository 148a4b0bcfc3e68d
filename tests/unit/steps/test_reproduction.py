"""The document of the reproduced tables."""

import pandas as pd
import pytest

from pdgmm.report.seed_summaries import results_frame
from pdgmm.report.table_columns import Record
from pdgmm.steps.reproduction import write_reproduction
from pdgmm.store.atomic import write_text
from table_plans import BASE, method, plan

REDUCED = "lagrangian: steps 3,000 of 80,000"
METHODS = ["flow+spike_slab", method("autoencoder+lagrangian", reduced=REDUCED), "autoencoder", "fastica"]
PLANS = [
    plan("first", ["a"], METHODS, published_table="pdgmm/3", note="Said under it."),
    plan("again", ["a"], METHODS, published_table="pdgmm/3"),
    plan("later", ["b"], METHODS, published_table="pdgmm/3"),
]


def runs(experiment, chain, values, **changes):
    """Runs with these scores, a seed each."""
    default = {"role": "ours" if "spike" in chain else "baseline", "dataset": "a", "train_samples": 100_000}
    return [
        Record(
            **{
                **default,
                "metrics": {
                    "test": {"mcc": value, "mcc_chance": 0.59, "r2": 0.94},
                    "unmasked": {"mcc": value - 0.01},
                },
                "published_table": "pdgmm/3",
                "setting": BASE,
                **changes,
            },
            experiment=experiment,
            method=chain,
            seed=seed,
        )
        for seed, value in enumerate(values)
    ]


@pytest.fixture
def write(tmp_path):
    """Writes the document of plans whose tables have these runs."""

    def document(plans, **tables):
        for name, records in tables.items():
            path = tmp_path / "results" / "tables" / f"{name}.csv"
            write_text(path, results_frame(records).to_csv(index=False))
        paths = write_reproduction(plans, tmp_path / "results", tmp_path / "docs", "the command")
        assert all(path.exists() for path in paths)
        return paths[0].read_text(), pd.read_csv(paths[1])

    return document


@pytest.fixture
def written(write):
    """The two files, of a study whose last experiment has not run."""
    ours = runs("first", "flow+spike_slab", [0.99, 0.992], size="600 steps")
    paper = runs("first", "autoencoder+lagrangian", [0.60, 0.62], reduced=REDUCED)
    failed = runs("first", "autoencoder", [0], status="diverged", reason="NaN", metrics={})
    baseline = runs("first", "fastica", [0.9])
    again = runs("again", "flow+spike_slab", [0.99, 0.992], size="600 steps")
    return write(PLANS, first=[*ours, *paper, *failed, *baseline], again=again)


def page(tmp_path, name):
    return (tmp_path / "docs" / "reproduction" / f"{name}.md").read_text()


def test_the_front_page_has_a_line_for_every_experiment_with_what_was_not_judged(written, tmp_path):
    text, _ = written
    assert "`the command`" in text
    assert "![" in text.split("](reproduction.svg)")[0]
    assert (
        "| [first](reproduction/first.md) First | 1 not judged | 1 / 1 / 0 | "
        "smaller than in the paper: `autoencoder+lagrangian` |"
    ) in text
    assert "Without published values: [again](reproduction/again.md)." in text, "an earlier one has them"
    assert "Not run yet: Later." in text
    assert "two standard errors" in text
    assert "2604.13218" in text
    assert len(text.splitlines()) < 40
    assert not (tmp_path / "docs" / "reproduction" / "later.md").exists()


def test_a_worse_value_is_named_with_its_setting(write):
    text, _ = write(PLANS, first=runs("first", "flow+spike_slab", [0.80, 0.81]))
    assert "`flow+spike_slab` is worse at base" in text


@pytest.mark.parametrize(
    "part",
    [
        "# First",
        "Said under it.",
        "](first.svg)",
        f"- `autoencoder+lagrangian`: {REDUCED}",
        "| base | 0.97 ± 0.01 | 0.590 | **0.991 ± 0.001** (worst 0.990) (paper 0.97, ▲ +0.02 ± 0.005) | "
        "0.610 ± 0.014 (worst 0.600) (paper 0.97, −0.36 ± 0.011†) | diverged (1 of 1) | "
        "0.900 (paper 0.97, ▼ −0.07 ± 0.011) |",
        "- autoencoder, base: seed 0 diverged: NaN",
    ],
)
def test_a_page_has_the_tables_of_its_experiment(written, tmp_path, part):
    assert part in page(tmp_path, "first")
    assert (tmp_path / "docs" / "reproduction" / "first.svg").read_text().rstrip().endswith("</svg>")


def test_a_page_is_whole_where_experiments_share_runs(written, tmp_path):
    assert "**0.991 ± 0.001**" in page(tmp_path, "first")
    assert "0.991 ± 0.001" in page(tmp_path, "again")


def test_a_page_shows_the_curves_that_its_experiment_asks_for(write, tmp_path):
    varied = [
        run
        for latents in (5, 20)
        for run in runs("first", "fastica", [0.9], setting={**BASE, "n": latents}, dataset=f"n{latents}")
    ]
    asked = plan(
        "first", ["n5", "n20"], ["fastica"], varied=["n"], curves=["mcc", "later"], published_table="pdgmm/3"
    )
    write([asked], first=varied)
    assert "](first-curves.svg)" in page(tmp_path, "first")
    assert "<svg" in (tmp_path / "docs/reproduction/first-curves.svg").read_text()
    write([{**asked, "curves": []}], first=varied)
    assert "curves" not in page(tmp_path, "first")


def test_the_csv_has_every_compared_value_once_with_that_of_every_seed(written):
    _, table = written
    assert set(table["method"]) == {"flow+spike_slab", "autoencoder+lagrangian", "autoencoder", "fastica"}
    assert set(table["experiment"]) == {"first"}
    row = table[(table["method"] == "autoencoder+lagrangian") & (table["metric"] == "mcc")].iloc[0]
    assert (row["published_mean"], row["published_table"], row["reduced"]) == (0.97, "pdgmm/3", REDUCED)
    assert (row["values"], row["worst"]) == ('{"0": 0.6, "1": 0.62}', 0.6)
    assert pd.isna(row["verdict"])


def test_the_hours_of_all_trainings_are_summed(write, tmp_path):
    for seed, seconds in enumerate((1000, 803)):
        file = tmp_path / "results" / "benchmarks" / "train" / "a" / f"seed-{seed}" / "fastica.tsv"
        write_text(file, f"s\th:m:s\n{seconds}\t0:00:01\n")
    text, _ = write(PLANS)
    assert "## Time\n\nThe 2 trainings and graphs whose time was measured took 0.5 core-hours in all." in text


def test_a_study_of_which_nothing_ran_says_so(write):
    text, table = write(PLANS)
    assert "No experiment has run yet." in text
    assert "Not run yet: First, Again, Later." in text
    assert len(table) == 0
    assert "## Time" not in text
