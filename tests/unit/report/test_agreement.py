import pytest

from pdgmm.report.agreement import agreement
from pdgmm.report.agreement_text import agreement_html, agreement_markdown
from pdgmm.report.reproduction import reproduction_frame
from pdgmm.report.reproduction_figure import draw_reproduction
from pdgmm.report.tables import results_frame


@pytest.fixture
def tables(record):
    """Two experiments: one with every kind of cell, one that repeats a run of it and adds a failed one."""
    small = {"method": "autoencoder+lagrangian", "dataset": "a", "seconds": None}
    first = [
        record(experiment="one", dataset="a", seed=seed, mcc=0.991, r2=0.94, seconds=None) for seed in (0, 1)
    ]
    first += [record(experiment="one", **small, mcc=0.6, r2=0.9, reduced="stage 2: steps 3 of 80,000")]
    first += [
        record(experiment="one", dataset="a", method="autoencoder+none", mcc=0.3, r2=0.94, seconds=None)
    ]
    second = [
        record(experiment="two", dataset="a", seed=seed, mcc=0.991, r2=0.94, seconds=None) for seed in (0, 1)
    ]
    second += [
        record(experiment="two", dataset="b", setting={"n": 20}, status="failed", reason="no", seconds=None)
    ]
    return [results_frame(first), results_frame(second)]


def test_cells_are_counted_by_whose_method_it_is(tables):
    one, two, _ = agreement(tables).to_dict("records")
    assert (one["paper_agrees"], one["paper_better"], one["paper_worse"]) == (1, 0, 1)
    assert one["paper_reduced"] == 1
    assert (one["ours_agrees"], one["ours_better"], one["ours_worse"]) == (1, 1, 0)
    assert (one["fits"], one["failed_fits"]) == (4, 0)
    assert (two["fits"], two["failed_fits"]) == (3, 1)
    assert one["published_tables"] == "3"


def test_the_last_row_counts_once_what_experiments_share(tables):
    *_, total = agreement(tables).to_dict("records")
    assert total["experiment"] == "all"
    assert (total["ours_agrees"], total["ours_better"]) == (1, 1)
    assert (total["fits"], total["failed_fits"]) == (5, 1)


def test_cells_that_an_earlier_experiment_has_are_not_counted_again(tables):
    _, two, _ = agreement(tables).to_dict("records")
    assert (two["ours_agrees"], two["ours_better"], two["published_tables"]) == (0, 0, "")


def test_an_experiment_without_published_values_hides_nothing(record):
    runs = [record(dataset="a", seconds=None)]
    plain = results_frame([{**run, "experiment": "plain", "published_table": None} for run in runs])
    *_, total = agreement([plain, results_frame(runs)]).to_dict("records")
    assert (total["ours_agrees"], total["fits"]) == (2, 1)


def test_a_study_without_published_values_has_counts_of_its_fits(record):
    (row, total) = agreement([results_frame([record(published_table=None)])]).to_dict("records")
    assert (row["fits"], total["fits"], total["ours_agrees"], total["published_tables"]) == (1, 1, 0, "")


def test_the_oracle_and_the_true_latents_are_counted_apart(record):
    told = [record(method="identity+oracle", mcc=0.98, seconds=None, published_table="8")]
    graphs = {"graph_pc": {"shd": 1.8}}
    told += [record(method="true latents", reference=True, metrics=graphs, seconds=None)]
    counts = agreement([results_frame(told)])
    total = counts.to_dict("records")[-1]
    assert (total["told_agrees"], total["told_better"], total["told_worse"]) == (2, 0, 0)
    assert total["paper_agrees"] == total["ours_agrees"] == 0
    assert "oracle and true latents: agree" in agreement_markdown(counts)


def test_a_study_of_small_sizes_says_so(tables, record):
    small = record(
        method="autoencoder+lagrangian", mcc=0.6, reduced="stage 2: steps 3 of 80,000", seconds=None
    )
    words = "Every one of the paper's trained methods was run at less than the paper's size"
    for text in (agreement_markdown, agreement_html):
        assert words.replace("'", "&#x27;") in text(agreement([results_frame([small])])).replace(
            "'", "&#x27;"
        )
        assert "Every one of" not in text(agreement(tables)), "one of them was run in full"
        assert "Every one of" not in text(agreement([results_frame([record()])]))


def test_the_page_shows_the_values_behind_the_counts(tables):
    text = agreement_html(agreement(tables), draw_reproduction(reproduction_frame(tables)))
    assert '<img alt="Measured and published values' in text
    assert "data:image/svg+xml;base64," in text


def test_the_texts_have_a_row_for_every_experiment_and_say_the_rule(tables):
    counts = agreement(tables)
    for text, row in ((agreement_markdown(counts), "| two |"), (agreement_html(counts), ">two</th>")):
        assert row in text
        assert "two standard errors" in text
        assert text.endswith("\n")
    lines = [line for line in agreement_markdown(counts).splitlines() if line.startswith("|")]
    assert len({line.count("|") for line in lines}) == 1
