"""Papers are data: adding one changes no Python, and what is wrong in its files is named."""

from dataclasses import replace

import pytest

from pdgmm.errors import UserError
from pdgmm.report.comparison import PublishedTable
from pdgmm.report.papers.paper_files import PAPERS, read_paper
from pdgmm.report.seed_summaries import results_frame
from pdgmm.report.table_columns import measure_named
from pdgmm.report.templates.rendering import FORMATS, render_tables

KEYS = sorted(path.parent.name for path in PAPERS.glob("*/paper.yaml"))


FEW_LINES = {"dica": 2}
"""Papers that print fewer values than others: more lines than this are expected, else more than 10."""


@pytest.mark.parametrize("key", KEYS)
def test_every_paper_is_whole(key):
    paper, lines = read_paper(key)
    assert len(lines) > FEW_LINES.get(key, 10)
    assert {line.table for line in lines} <= paper.tables.keys()
    assert all(number in paper.tables for group in paper.together for number in group)
    for metric in paper.metrics:
        name = metric.metric.replace("*", "1")
        assert measure_named(metric.split, name).metric == name
        assert metric.published in {line.metric for line in lines}


@pytest.mark.parametrize(
    ("table", "setting", "chain", "mean"),
    [
        ("3", {"noise": 0.0, "family": "cyclic"}, "orojar", 0.7288),
        ("4", {"noise": 0.0, "family": "cyclic"}, "ddl_as_published", 0.8258),
        ("4", {"noise": 0.1, "family": "cyclic"}, "ddl", 0.8210),
        ("4", {"noise": 0.0, "family": "dense"}, "ddl_as_published", 0.3814),
        ("4", {"noise": 0.0, "family": "triangular"}, "ddl_as_published", None),
        ("5", {"noise": 0.0, "family": "cyclic", "ddl_as_published.weight": 0.0}, "ddl_as_published", 0.6789),
        (
            "5",
            {"noise": 0.0, "family": "cyclic", "ddl_as_published.weight": 0.001},
            "ddl_as_published",
            0.7313,
        ),
    ],
)
def test_sparse_dependencies_are_compared_in_the_same_setting(table, setting, chain, mean):
    setting = {"n": 3, "latents": "gaussian", "slope": 0.5} | setting
    value = PublishedTable(f"ddl/{table}").compare(setting, chain, "test", "mcc")
    assert (value and value.mean) == mean


def test_every_number_of_the_paper_is_found_at_its_place():
    paper, lines = read_paper("pdgmm")
    names = {metric.published: metric for metric in paper.metrics}
    chains = {"stage1": "autoencoder", "stage2": "autoencoder+lagrangian", "vade": "vade_as_published"}
    found = 0
    for line in lines:
        if line.metric not in names or line.method not in chains:
            continue
        metric = names[line.metric]
        name = metric.metric.replace("*", line.setting.get(metric.number, ""))
        value = PublishedTable(f"pdgmm/{line.table}").compare(
            line.setting, chains[line.method], metric.split, name
        )
        if line.method in value.method.replace(" ", "").lower():
            # Tables 3 and 8 repeat some of each other's values.
            assert (value.mean, value.std) == (line.mean, line.std)
            found += 1
    assert found > 180


def test_a_folder_is_all_that_a_paper_needs(papers, record):
    made = [record(seed=seed, metrics={"winter": {"mcc": 0.82 + seed / 100}}) for seed in (0, 1, 2)]
    runs = [replace(run, setting={"n": 4}, published_table="mine/2") for run in made]
    frame = results_frame(runs, papers)
    (line,) = frame.to_dict("records")
    assert (line["published_mean"], line["published_table"], line["verdict"]) == (0.8, "mine/2", "agrees")
    assert "| 0.8 ± 0.1 | 0.830 ± 0.010 (worst 0.820) (paper 0.8, +0.03 ± 0.029) |" in render_tables(
        frame, "md", "Mine", "", "mine/2", papers
    )
    for form in FORMATS:
        text = render_tables(frame, form, "Mine", "", "mine/2", papers)
        assert all(words in text for words in ("Somebody, Something, 2027", "the new method"))


@pytest.mark.parametrize(
    ("file", "old", "new", "named"),
    [
        ("paper.yaml", "seeds: 3", "seeds: many", ["line 2", "seeds", "'many'"]),
        ("paper.yaml", "digits: 1", "digits: -1", ["line 7", "metrics.0.digits", "-1"]),
        ("paper.yaml", "citation:", "quotation:", ["line 1", "citation"]),
        ("paper.yaml", "{mcc: new}", "{mcc: old}", ["line 8", "'old'"]),
        ("paper.yaml", "seeds: 3", "seeds: [3", ["line 3"]),
        ("published.csv", "2,n=4", "7,n=4", ["line 2", "'7'"]),
        ("published.csv", "n=4", "q=4", ["line 2", "'q'"]),
        ("published.csv", ",new,", ",old,", ["line 2", "'old'"]),
        ("published.csv", "0.8", "high", ["line 2", "'high'"]),
        ("published.csv", "mean", "average", ["line 1", "average"]),
    ],
)
def test_what_is_wrong_is_named_with_file_line_and_value(papers, file, old, new, named):
    path = papers / "mine" / file
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(UserError) as caught:
        read_paper("mine", papers)
    assert all(part in str(caught.value) for part in [str(path), *named])


@pytest.mark.parametrize(
    ("name", "named"), [("nobody/1", "'nobody'"), ("pdgmm/99", "'pdgmm/99'"), ("3", "'3'")]
)
def test_an_unknown_table_is_named_beside_the_known_ones(name, named):
    with pytest.raises(UserError, match=named):
        PublishedTable(name)
