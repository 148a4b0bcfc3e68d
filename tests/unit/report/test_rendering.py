import re
from html.parser import HTMLParser

import pytest

from pdgmm.report.comparison import PublishedTable
from pdgmm.report.seed_summaries import results_frame
from pdgmm.report.table_model import tables
from pdgmm.report.templates.rendering import COLUMNS_PER_BLOCK, FORMATS, render_tables


@pytest.fixture
def study(record):
    """Two settings and three methods: one that works, one that fails at times, one that never works."""
    runs = []
    for setting in ({}, {"n": 20}):
        for seed in (0, 1):
            runs.append(record(setting=setting, seed=seed, mcc=0.99 + 0.002 * seed, train_samples=50_000))
            half = {"status": "diverged", "reason": "loss is NaN at step 12"} if seed else {}
            runs.append(record(setting=setting, seed=seed, method="autoencoder", mcc=0.5, **half))
            never = {"status": "failed", "reason": "50% of a|b <c> & d_e"}
            runs.append(record(setting=setting, seed=seed, method="fastica", size="", **never))
    return runs


def tables_of(runs):
    name = runs[0].published_table
    return {
        one.measure.metric: one for one in tables(results_frame(runs), PublishedTable(name) if name else None)
    }


def table_of(runs, metric="mcc"):
    return tables_of(runs)[metric]


def render(runs, form, note=""):
    return render_tables(results_frame(runs), form, "Title", note, runs[0].published_table)


def test_cells_say_what_happened(study):
    table = table_of(study)
    assert [row.setting for row in table.rows] == ["n = 10", "n = 20"]
    assert [(row.paper, row.chance) for row in table.rows] == [
        ("0.97 ± 0.01", "0.590"),
        ("0.92 ± 0.05", "0.590"),
    ]
    works, half, never = table.rows[0].cells
    assert (works.measured, works.worst, works.paper, works.difference) == (
        "0.991 ± 0.001",
        "0.990",
        "0.97",
        "+0.02 ± 0.005",
    )
    assert (works.verdict, works.best) == ("better", True)
    assert (half.measured, half.failed, half.paper, half.worst) == ("0.500", "1 of 2 diverged", "0.56", "")
    assert (half.verdict, half.best) == ("agrees", False), "one run is worth less than a deviation of 0.03"
    assert (never.measured, never.paper) == ("failed (2 of 2)", "")
    assert [head.against for head in table.heads] == ["stage 2", "stage 1", "stage 2"]
    assert "fastica, n = 10: seed 0 failed: 50% of" in table.failures[1]


def test_missing_runs_and_missing_splits_are_dashes(record):
    metrics = {"test": {"mcc": 0.9}, "unmasked": {"r2": 0.9}}
    found = tables_of([record(metrics=metrics), record(method="identity", setting={"n": 20}, r2=None)])
    assert found["mcc"].rows[0].cells[1].measured == "–"
    assert [row.cells[1].measured for row in found["r2"].rows] == ["–", "–"]
    assert not found["r2"].paper


def test_the_least_distance_is_the_best_and_true_latents_are_not_a_method(record):
    def run(method, shd, role="ours"):
        return record(
            method=method, role=role, metrics={"graph_pc": {"shd": shd}}, published_table="pdgmm/11"
        )

    table = table_of(
        [run("true latents", 0, "reference"), run("autoencoder+lagrangian", 30), run("flow", 1)], "shd"
    )
    true, paper, ours = table.rows[0].cells
    assert [cell.best for cell in (true, paper, ours)] == [False, False, True]
    assert (paper.verdict, ours.verdict) == ("worse", "better")
    assert [cell.paper for cell in (true, paper, ours)] == ["1.8", "4.2", "4.2"]
    assert [head.against for head in table.heads] == ["PC on the true latents", *["PC on stage 2"] * 2]


def test_training_times_are_beside_the_published_ones_without_a_verdict(record):
    metrics = {"run": {"last_part_seconds": 20.0, "seconds": 50.0}}
    runs = [record(published_table="pdgmm/5", metrics=metrics)]
    table = table_of(runs, "last_part_seconds")
    cell = table.rows[0].cells[0]
    assert (table.paper, table.rows[0].paper) == ("stage 2, on a GPU", "7 min")
    assert (cell.measured, cell.paper, cell.verdict) == ("20 s", "", None)
    assert table_of(runs, "seconds").rows[0].cells[0].measured == "50 s"


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_says_everything_and_the_same_every_time(study, form):
    text = render(study, form)
    assert text == render(study, form)
    assert text.endswith("\n")
    parts = (
        "loss is NaN at step 12",
        "worst 0.990",
        "chance",
        "0.590",
        "50,000 training samples",
        "2604.13218",
    )
    assert all(part in text for part in parts)


@pytest.mark.parametrize("form", FORMATS)
def test_reduced_sizes_notes_and_what_a_method_is_told_are_said(record, form):
    oracle = {"method": "oracle", "mcc": 0.98, "told": ["masks", "component"]}
    small = {"method": "autoencoder+lagrangian", "mcc": 0.6, "reduced": "lagrangian: steps 3,000 of 80,000"}
    runs = [record(**oracle), record(**small)]
    best = [cell.best for cell in table_of([*runs, record(mcc=0.5)]).rows[0].cells]
    assert best == [False, True, False], "a method that is told the truth does not compete"
    assert table_of(runs).rows[0].cells[1].verdict is None
    text = render(runs, form, "Three words here.")
    assert text.count(r"$^\dagger$" if form == "tex" else "†") >= 2, (
        "at the difference and at its explanation"
    )
    assert text.count("masks, component") == 2, "in both tables"
    assert "Three words here." in text
    assert 'class="worse"' not in text


def test_markdown(study, record):
    text = render(study, "md")
    assert "| **0.991 ± 0.001** (worst 0.990) (paper 0.97, ▲ +0.02 ± 0.005) |" in text
    assert "0.500 [1 of 2 diverged] (paper 0.56, −0.06 ± 0.0" in text
    assert r"50% of a\|b \<c\> & d\_e" in text
    for block in re.findall(r"(?:^\|.*\n)+", text, flags=re.MULTILINE):
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}) == 1
        assert len(block.splitlines()) == 4
    assert "paper" not in render([record(published_table=None)], "md").lower()


def test_latex(study, record):
    text = render(study, "tex")
    assert r"\textbf{0.991 $\pm$ 0.001}" in text
    assert r"{\scriptsize worst 0.990 (0.97, +0.02 $\pm$ 0.005)}" in text
    assert r"\texttt{+spike\_slab}" in text
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") == text.count(r"\toprule") == 2
    assert text.isascii()
    columns = len(re.search(r"\\begin\{tabular\}\{(\w+)\}", text)[1])
    for line in re.findall(r"^.* \\\\$", text.split(r"\end{tabular}")[0], flags=re.MULTILINE):
        assert len(re.findall(r"(?<!\\)&", line)) == columns - 1
    many = [record(method=f"method{i}") for i in range(COLUMNS_PER_BLOCK + 1)]
    assert render(many, "tex").count(r"\begin{tabular}{lccc}") == 1, "a second block, with paper and chance"


class Balance(HTMLParser):
    """Fails where tags are not closed in order."""

    VOID = {"meta", "wbr", "br"}

    def __init__(self):
        super().__init__()
        self.open, self.titles = [], []

    def handle_starttag(self, tag, attrs):
        if tag not in self.VOID:
            self.open.append(tag)
        self.titles += [value for name, value in attrs if name == "title"]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_html_is_one_whole_page_with_seeds_and_reasons_as_tooltips(study, record):
    page = Balance()
    text = render(study, "html")
    page.feed(text)
    page.close()
    assert page.open == []
    assert "seed 0 failed: 50% of a|b <c> & d_e; seed 1 failed: 50% of a|b <c> & d_e" in page.titles
    assert "seed 0: 0.500; seed 1 diverged: loss is NaN at step 12" in page.titles
    assert all(f'<td class="{kind}"' in text for kind in ("better", "failed"))
    assert "http" not in text
    noted = render([record()], "html", "Set `n` <b>here</b>.")
    assert "<p>Set <code>n</code> &lt;b&gt;here&lt;/b&gt;.</p>" in noted
