import io
import re
from html.parser import HTMLParser

import pandas as pd
import pytest

from pdgmm.report.grid import grids
from pdgmm.report.latex import COLUMNS_PER_BLOCK, escape
from pdgmm.report.summary import summarise
from pdgmm.report.tables import FORMATS, render_tables, results_frame


@pytest.fixture
def study(record):
    """Two settings and three methods: one that works, one that fails at times, one that never works."""
    runs = []
    for setting in ({}, {"n": 20}):
        for seed in (0, 1):
            runs.append(record(setting=setting, seed=seed, mcc=0.99 + 0.002 * seed))
            half = {"status": "diverged", "reason": "loss is NaN at step 12"} if seed else {}
            runs.append(record(setting=setting, seed=seed, method="autoencoder+none", mcc=0.5, **half))
            never = {"status": "failed", "reason": "50% of a|b <c> & d_e"}
            runs.append(record(setting=setting, seed=seed, method="identity+fastica", size="", **never))
    return runs


def grid_of(runs):
    return grids(summarise(runs))[0]


def test_the_frame_has_all_numbers_in_full(study):
    frame = results_frame(study)
    row = frame.query("method == 'flow+spike_slab' and metric == 'mcc' and setting_n == 20").iloc[0]
    assert row["mean"] == pytest.approx(0.991)
    assert row["std"] == pytest.approx(0.002 / 2**0.5)
    assert (row["published_mean"], row["published_std"], row["published_table"]) == (0.92, 0.05, 3)
    assert row["difference"] == pytest.approx(0.071)
    assert (row["n_ok"], row["n_failed"]) == (2, 0)


def test_failures_stay_in_the_frame(study):
    row = results_frame(study).query("method == 'identity+fastica'").iloc[0]
    assert pd.isna(row["mean"])
    assert (row["n_ok"], row["n_failed"]) == (0, 2)
    assert row["failures"].startswith("seed 0 failed: 50% of")


def test_csv_reads_back_as_the_frame(study):
    frame = results_frame(study)
    again = pd.read_csv(io.StringIO(render_tables(study, "csv")))
    assert list(again.columns) == list(frame.columns)
    assert (again["mean"].dropna() == frame["mean"].dropna()).all()


def test_integers_stay_integers_where_a_setting_is_missing(record):
    runs = [record(), record(setting={"samples": {"train": 1000}})]
    assert ",1000," in render_tables(runs, "csv")


def test_cells_say_what_happened(study):
    grid = grid_of(study)
    assert [row.setting for row in grid.rows] == ["n = 10", "n = 20"]
    assert [row.paper for row in grid.rows] == ["0.97 ± 0.01", "0.92 ± 0.05"]
    works, half, never = grid.rows[0].cells
    assert (works.measured, works.paper, works.difference) == ("0.991 ± 0.001", "0.97", "+0.02")
    assert (works.verdict, works.best) == ("better", True)
    assert (half.measured, half.failed, half.paper) == ("0.500", "1 of 2 diverged", "0.56")
    assert (half.verdict, half.best) == ("agrees", False), "one run is worth less than a deviation of 0.03"
    assert (never.measured, never.all_failed, never.paper) == ("failed (2 of 2)", True, "")
    assert "identity+fastica, n = 10: 2 of 2 failed: 50% of" in grid.failures[1]


def test_columns_say_what_they_are_compared_with(study):
    assert [column.against for column in grid_of(study).columns] == ["stage 2", "stage 1", "stage 2"]


def test_a_difference_below_the_published_digits_is_agreement(record):
    cell = grid_of([record(mcc=0.966)]).rows[0].cells[0]
    assert (cell.difference, cell.verdict, cell.best) == ("0.00", "agrees", False)


def test_missing_runs_and_missing_splits_are_dashes(record):
    runs = [
        record(metrics={"test": {"mcc": 0.9}, "unmasked": {"mcc": 0.9}}),
        record(method="identity+none", setting={"n": 20}),
    ]
    tables = {(grid.measure.split, grid.measure.metric): grid for grid in grids(summarise(runs))}
    assert tables["test", "mcc"].rows[0].cells[1].measured == "–"
    assert [row.cells[1].measured for row in tables["unmasked", "mcc"].rows] == ["–", "–"]
    assert not tables["unmasked", "mcc"].paper


def test_different_words_for_failure_become_failed(record):
    runs = [record(seed=0, status="diverged", reason="a"), record(seed=1, status="failed", reason="b")]
    cell = grid_of(runs).rows[0].cells[0]
    assert cell.measured == "failed (2 of 2)"
    assert cell.detail == "1 of 2 diverged: a; 1 of 2 failed: b"


def test_settings_all_rows_share_are_said_once(record):
    runs = [record(setting={"n": n, "delta": 2.0, "samples": {"train": 50_000}}) for n in (5, 10)]
    grid = grid_of(runs)
    assert [row.setting for row in grid.rows] == ["n = 5", "n = 10"]
    assert "All rows: δ = 2, samples.train = 50,000." in grid.caption


def test_a_sweep_of_several_settings_names_its_base(record):
    grid = grid_of([record(), record(setting={"n": 5}), record(setting={"rho": "1var"})])
    assert [row.setting for row in grid.rows] == ["base", "n = 5", "ρ = 1 var"]
    assert any("base setting n = 10, k = 1, m = 10, ρ = 50 %, δ = 0, θ = 0°" in line for line in grid.caption)


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_is_the_same_every_time_and_names_every_failure(study, form):
    text = render_tables(study, form)
    assert text == render_tables(study, form)
    assert text.endswith("\n")
    assert "loss is NaN at step 12" in text


def test_markdown(study):
    text = render_tables(study, "md")
    assert "**0.991 ± 0.001** (paper 0.97, +0.02)" in text
    assert "0.500 [1 of 2 diverged] (paper 0.56, −0.06)" in text
    assert "failed (2 of 2)" in text
    assert r"50% of a\|b \<c\> & d\_e" in text
    for block in re.findall(r"(?:^\|.*\n)+", text, flags=re.MULTILINE):
        widths = {len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}
        assert len(widths) == 1


def test_markdown_without_published_values_has_no_such_column(record):
    text = render_tables([record(published_table=None)], "md")
    assert "paper" not in text.lower()
    assert "| base | 0.966 |" in text


def test_latex(study):
    text = render_tables(study, "tex")
    assert r"\textbf{0.991 $\pm$ 0.001}" in text
    assert r"{\scriptsize (0.97, +0.02)}" in text
    assert r"\texttt{+spike\_slab}" in text
    assert r"50\% of a\textbar{}b \textless{}c\textgreater{} \& d\_e" in text
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") == text.count(r"\toprule") == 3
    assert text.isascii()
    columns = len(re.search(r"\\begin\{tabular\}\{(\w+)\}", text)[1])
    for line in re.findall(r"^.* \\\\$", text.split(r"\end{tabular}")[0], flags=re.MULTILINE):
        assert len(re.findall(r"(?<!\\)&", line)) == columns - 1


def test_latex_puts_many_methods_into_blocks(record):
    runs = [record(method=f"identity+method{i}", seconds=None) for i in range(COLUMNS_PER_BLOCK + 1)]
    text = render_tables(runs, "tex")
    assert text.count(r"\begin{tabular}{lccccc}") == text.count(r"\begin{tabular}{lcc}") == 2


def test_latex_escapes():
    assert escape(r"a\b{c}$d&e#f%g_h~i^j") == (
        r"a\textbackslash{}b\{c\}\$d\&e\#f\%g\_h\textasciitilde{}i\textasciicircum{}j"
    )
    assert escape("θ = 15° ± −1") == r"$\theta$ = 15$^\circ$ $\pm$ $-$1"
    assert escape("two\nlines, ∂") == "two lines, ?"


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


def test_html_is_one_whole_page_with_reasons_as_tooltips(study):
    page = Balance()
    text = render_tables(study, "html")
    page.feed(text)
    page.close()
    assert page.open == []
    assert "2 of 2 failed: 50% of a|b <c> & d_e" in page.titles
    assert "1 seed; 1 of 2 diverged: loss is NaN at step 12" in page.titles
    assert '<td class="better"' in text
    assert '<td class="failed"' in text
    assert "http" not in text


@pytest.mark.parametrize("form", ["md", "tex", "html"])
def test_a_run_at_reduced_size_is_marked_and_not_judged(record, form):
    runs = [record(method="autoencoder+lagrangian", mcc=0.6, reduced="stage 2: steps 3,000 of 80,000")]
    cell = grid_of(runs).rows[0].cells[0]
    assert (cell.difference, cell.verdict, cell.reduced) == ("−0.37", None, True)
    text = render_tables(runs, form)
    mark = r"$^\dagger$" if form == "tex" else "†"
    assert text.count(mark) >= 2, "at the difference and at its explanation"
    assert 'class="worse"' not in text
    assert results_frame(runs).iloc[0]["reduced"] == "stage 2: steps 3,000 of 80,000"


@pytest.mark.parametrize("form", ["md", "tex", "html"])
def test_the_note_and_the_numbers_of_seeds_and_samples_are_said(record, form):
    runs = [record(seed=seed, note="Three words here.", train_samples=50_000) for seed in (0, 1, 2)]
    text = render_tables(runs, form)
    assert "Three words here." in text
    assert "over 3 seeds. 50,000 training samples." in text


def test_a_sweep_of_the_sample_size_says_its_range(record):
    runs = [record(setting={"samples": {"train": n}}, train_samples=n) for n in (1_000, 5_000)]
    assert "1,000 to 5,000 training samples." in grid_of(runs).caption


def test_training_times_stand_beside_the_published_ones_without_a_verdict(record):
    runs = [record(published_table="5", seconds=50.0, stage2_seconds=20.0)]
    tables = {grid.measure.metric: grid for grid in grids(summarise(runs))}
    stage2 = tables["stage2_seconds"]
    assert stage2.paper == "stage 2, on a GPU"
    assert stage2.rows[0].paper == "7 min"
    cell = stage2.rows[0].cells[0]
    assert (cell.measured, cell.paper, cell.verdict) == ("20 s", "", None)
    assert tables["seconds"].rows[0].cells[0].measured == "50 s"


def test_a_swept_setting_of_a_method_is_a_row(record):
    runs = [
        record(method="autoencoder+lagrangian", setting={"stage2.sparsity": level}, published_table="6")
        for level in (0.1, 0.01)
    ]
    grid = grid_of(runs)
    assert [row.setting for row in grid.rows] == ["stage2.sparsity = 0.1", "stage2.sparsity = 0.01"]
    assert [row.cells[0].paper for row in grid.rows] == ["0.90", "0.97"]
    assert len(grid.columns) == 1


def test_learned_latents_beyond_the_true_ones_have_tables(record):
    metrics = {"test": {"mcc": 0.9, "r2": 0.9, "extra_latents": 2, "extra_max_correlation": 0.25}}
    tables = {grid.measure.metric: grid for grid in grids(summarise([record(metrics=metrics)]))}
    assert tables["extra_latents"].rows[0].cells[0].measured == "2"
    assert tables["extra_max_correlation"].rows[0].cells[0].measured == "0.250"
    assert "extra_latents" not in {grid.measure.metric for grid in grids(summarise([record()]))}


def test_code_in_a_note_is_shown_as_code_and_nothing_else_of_it_as_html(record):
    page = render_tables([record(note="Set `n` <b>here</b>.")], "html")
    assert "<p>Set <code>n</code> &lt;b&gt;here&lt;/b&gt;.</p>" in page
