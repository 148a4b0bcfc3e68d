import pytest

from pdgmm.report.agreement_counts import agreement, render_agreement
from pdgmm.report.reproduction_figure import draw_reproduction, reproduction_frame
from pdgmm.report.seed_summaries import results_frame

SMALL = {
    "method": "autoencoder+lagrangian",
    "mcc": 0.6,
    "r2": 0.9,
    "reduced": "lagrangian: steps 3 of 80,000",
}


@pytest.fixture
def tables(record):
    """Two experiments: one with every kind of cell, one that repeats a run of it and adds a failed one."""
    ours = [{"seed": seed, "mcc": 0.991} for seed in (0, 1)]
    paper = [SMALL, {"method": "autoencoder", "mcc": 0.3}]
    failed = {"dataset": "b", "setting": {"n": 20}, "status": "failed", "reason": "no"}
    return [
        results_frame([record(experiment=name, **run) for run in runs])
        for name, runs in (("one", ours + paper), ("two", [*ours, failed]))
    ]


def counts(row, group):
    return tuple(row[f"{group}_{word}"] for word in ("agrees", "better", "worse"))


def test_cells_are_counted_once_by_whose_method_it_is(tables):
    one, two, total = agreement(tables).to_dict("records")
    assert (counts(one, "paper"), one["paper_reduced"], counts(one, "ours")) == ((1, 0, 1), 1, (1, 1, 0))
    assert [(row["fits"], row["failed_fits"]) for row in (one, two, total)] == [(4, 0), (3, 1), (5, 1)]
    assert [row["published_tables"] for row in (one, two)] == ["pdgmm 3", ""]
    assert counts(two, "ours") == (0, 0, 0), "an earlier experiment has them"
    assert (total["experiment"], counts(total, "ours")) == ("all", (1, 1, 0))


def test_an_experiment_without_published_values_hides_nothing(record):
    plain, compared = (
        results_frame([record(experiment=str(table), published_table=table)]) for table in (None, "pdgmm/3")
    )
    *_, total = agreement([plain, compared]).to_dict("records")
    assert (counts(total, "ours"), total["fits"]) == ((2, 0, 0), 1)
    assert agreement([plain]).iloc[-1]["published_tables"] == ""


def test_methods_that_are_told_the_truth_and_true_latents_are_counted_apart(record):
    told = record(method="oracle", role="baseline", told=["masks"], mcc=0.98)
    true = record(method="true latents", role="reference", metrics={"graph_pc": {"shd": 1.8}})
    total = agreement([results_frame([told, true])]).to_dict("records")[-1]
    assert (counts(total, "told"), counts(total, "ours"), counts(total, "paper")) == (
        (2, 0, 0),
        (0, 0, 0),
        (0, 0, 0),
    )


def test_a_study_of_small_sizes_says_so(tables, record):
    for form in ("md", "html"):
        assert "In this study all of the paper" in render_agreement(
            agreement([results_frame([record(**SMALL)])]), form
        )
        for others in (tables, [results_frame([record()])]):
            assert "In this study all of" not in render_agreement(agreement(others), form), (
                "one was run in full"
            )


def test_the_texts_have_a_row_for_every_experiment_and_the_page_a_picture(tables):
    found = agreement(tables)
    page = render_agreement(found, "html", draw_reproduction(reproduction_frame(tables)))
    markdown = render_agreement(found, "md")
    for text, row in ((markdown, "| two |"), (page, ">two</th>")):
        assert all(part in text for part in (row, "two standard errors", "2604.13218"))
    assert "data:image/svg+xml;base64," in page
    lines = [line for line in markdown.splitlines() if line.startswith("|")]
    assert len({line.count("|") for line in lines}) == 1
