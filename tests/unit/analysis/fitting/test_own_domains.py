"""A user's own data from several domains: read, split inside domains, fitted, compared and encoded."""

import hashlib

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from pdgmm.analysis.fitting.analysis_folder import AnalysisFolder
from pdgmm.analysis.fitting.encoding import encode_file
from pdgmm.analysis.fitting.row_splits import Rows, held_out_count, resampled, split
from pdgmm.analysis.fitting.run_analysis import FEWEST_ROWS_OF_DOMAIN, run_analysis
from pdgmm.analysis.options import AnalysisOptions, ReadOptions
from pdgmm.analysis.reading.own_data import read
from pdgmm.cli.main import cli
from pdgmm.data.domains import Domains
from pdgmm.errors import UserError
from pdgmm.evaluation.mcc import mcc
from pdgmm.methods.domains.domain_rows import FEWEST_ROWS
from pdgmm.seeds import child_generator
from pdgmm.settings import canonical_json, short_hash

SITES = ("Basel", "Oslo", "Rome")
SCALES = np.array([[1, 1, 1], [3, 0.3, 1], [0.5, 2, 1]])


def drawn(rows=900, names=SITES):
    """A table with the column ``site``: the first two of three Gaussian latents change between sites."""
    rng = np.random.default_rng(101)
    u = rng.integers(0, len(names), rows)
    z = SCALES[u] * rng.normal(size=(rows, 3))
    table = pd.DataFrame(z @ rng.normal(size=(3, 4)), columns=["a", "b", "c", "d"])
    table.insert(1, "site", np.array(names)[u])
    return table, z, u


def fit(folder, *arguments):
    words = ["fit", folder / "data.csv", "--out", folder / "study", "--domain-column", "site", *arguments]
    return CliRunner().invoke(cli, list(map(str, words)), catch_exceptions=False)


@pytest.fixture(scope="module")
def linear(tmp_path_factory):
    """A folder with ``data.csv`` and a quick study of it."""
    folder = tmp_path_factory.mktemp("domains")
    drawn()[0].to_csv(folder / "data.csv", index=False)
    return folder, fit(folder, "--quick", "--n-latents", 3).stdout


@pytest.fixture(scope="module")
def per_domain(tmp_path_factory):
    """The same by a method whose encoder needs the domain and which has no decoder of its own."""
    folder = tmp_path_factory.mktemp("per_domain")
    drawn()[0].to_csv(folder / "data.csv", index=False)
    fit(folder, "--method", "fastica_per_domain", "--n-latents", 3)
    return folder


def test_the_latents_that_change_are_named(linear):
    folder, printed = linear
    answers = AnalysisFolder(folder / "study").answers()
    assert answers.settings.method == "nonstationary"
    assert answers.data.columns == ["a", "b", "c", "d"]
    assert (answers.domains.column, tuple(answers.domains.names)) == ("site", SITES)
    assert answers.domains.rows == np.bincount(drawn()[2]).tolist()
    latents = pd.read_csv(folder / "study" / "latents.csv", index_col=0).to_numpy()
    matched = mcc(drawn()[1], latents)
    assert matched.per_latent.min() > 0.95
    changes = [answers.domains.latents[place].changes for place in matched.assignment]
    assert changes == [True, True, False]
    first = answers.domains.latents[matched.assignment[0]]
    assert (max(first.deviations) / min(first.deviations)) == pytest.approx(6, rel=0.15)
    assert "change over the 3 domains of 'site'" in printed


def test_narrow_domains_are_not_taken_for_latents_that_rest(tmp_path):
    world = Domains(mixing="sparse").build(100)
    drawn_rows = world.sample("train", 2500, np.random.default_rng(1))
    pd.DataFrame(drawn_rows["x"]).add_prefix("c").assign(site=drawn_rows["u"]).to_csv(
        tmp_path / "data.csv", index=False
    )
    printed = fit(tmp_path, "--quick").stdout
    count = AnalysisFolder(tmp_path / "study").answers().count
    # Four latents; a bent mixing looks like a few more.
    assert (count.chosen in (4, 5, 6), count.verdict) == (True, "doubtful")
    assert {candidate.resting for candidate in count.candidates} == {0}
    assert "if the mixing is bent, there are probably fewer" in " ".join(printed.split())


def test_of_a_linear_mixing_the_number_of_latents_is_found(tmp_path):
    drawn()[0].to_csv(tmp_path / "data.csv", index=False)
    fit(tmp_path, "--quick")
    assert AnalysisFolder(tmp_path / "study").answers().count.chosen == 3


def test_the_page_shows_the_domains(linear):
    page = (linear[0] / "study" / "report.html").read_text(encoding="utf-8")
    for shown in ("Five questions", "Which latents change over domains?", "rows of 3 domains", *SITES):
        assert shown in page
    assert (linear[0] / "study" / "figures" / "domains.svg").exists()


def test_an_encoder_that_does_not_need_the_domain_reads_files_without_it(linear):
    folder = linear[0]
    for name, table in (("with", drawn()[0]), ("without", drawn()[0].drop(columns="site"))):
        table.to_csv(folder / f"{name}.csv", index=False)
        assert encode_file(folder / "study", folder / f"{name}.csv", folder / f"{name}.npy").notes == ()
    before = pd.read_csv(folder / "study" / "latents.csv", index_col=0).to_numpy()
    for name in ("with", "without"):
        np.testing.assert_allclose(np.load(folder / f"{name}.npy"), before, atol=1e-4)


def test_an_encoder_that_needs_the_domain_says_so(per_domain):
    table = drawn()[0]
    table[::-1].to_csv(per_domain / "new.csv", index=False)
    encode_file(per_domain / "study", per_domain / "new.csv", per_domain / "new.npy")
    before = pd.read_csv(per_domain / "study" / "latents.csv", index_col=0).to_numpy()
    np.testing.assert_allclose(np.load(per_domain / "new.npy"), before[::-1], atol=1e-4)
    for changed, said in (
        (table.drop(columns="site"), "lacks the column 'site': the method needs the domain"),
        (
            table.replace("Oslo", "Bergen"),
            "domain 'Bergen' in column 'site' is not one of .*'Basel', 'Oslo', 'Rome'",
        ),
    ):
        changed.to_csv(per_domain / "other.csv", index=False)
        with pytest.raises(UserError, match=said):
            encode_file(per_domain / "study", per_domain / "other.csv", per_domain / "other.npy")
    assert not (per_domain / "other.npy").exists()


def test_without_a_decoder_columns_are_regressed_and_the_page_says_so(per_domain):
    meaning = AnalysisFolder(per_domain / "study").answers().meaning
    assert meaning.sentence.startswith(
        "fastica_per_domain cannot turn latents back into columns, so the columns were"
    )
    assert np.max(meaning.sensitivity) > 0.3


def test_a_study_with_other_domains_is_another_study(linear):
    table = drawn()[0]
    table["site"] = table["site"].replace({"Oslo": "Bergen"})
    table.to_csv(linear[0] / "renamed.csv", index=False)
    options = AnalysisOptions(quick=True, n_latents=3, domain_column="site")
    with pytest.raises(UserError, match="other data or with other options"):
        run_analysis(linear[0] / "renamed.csv", linear[0] / "study", ReadOptions(), options)


@pytest.mark.parametrize(
    ("site", "said"),
    [
        (None, "column 'site' is unknown; .*the file has 'a', 'b', 'c', 'd'"),
        (["Oslo"] * 300, "column 'site' names one domain only, 'Oslo': .*--drop-columns 'site'"),
        (
            ["Oslo"] * 222 + ["Rome"] * 78,
            "1 of 2 domains in column 'site' have fewer than 79 rows: 'Rome' 78",
        ),
        (["Oslo"] * 150 + [None] + ["Rome"] * 149, "names no domain in 1 rows .the first is row 151"),
        (np.arange(300) / 7, "300 of 300 domains in column 'site' .* and 295 more"),
    ],
)
def test_domains_that_cannot_be_used_are_one_message(site, said, tmp_path):
    table = drawn(300)[0].drop(columns="site")
    if site is not None:
        table["site"] = site
    table.to_csv(tmp_path / "data.csv", index=False)
    with pytest.raises(UserError, match=said):
        fit(tmp_path)
    assert not (tmp_path / "study").exists()


def test_numbers_name_domains_in_their_order(tmp_path):
    table = drawn(300)[0]
    table["site"] = np.tile([10.0, 9.0, 2.0], 100)
    table.to_csv(tmp_path / "data.csv", index=False)
    domains = read(tmp_path / "data.csv", ReadOptions(columns=["a", "b"]), "site").domains
    assert domains.names == ("2", "9", "10")
    np.testing.assert_array_equal(domains.u[:3], [2, 1, 0])


def test_rows_left_out_for_missing_values_leave_their_domain_too(tmp_path):
    table = drawn(300)[0]
    table.loc[::3, "a"] = np.nan
    table.to_csv(tmp_path / "data.csv", index=False)
    data = read(tmp_path / "data.csv", ReadOptions(missing="drop"), "site")
    kept = table.dropna()["site"].to_numpy()
    np.testing.assert_array_equal(np.array(data.domains.names)[data.domains.u], kept)


@pytest.mark.parametrize("sizes", [(79, 79), (79, 2000), (100, 3000, 79)])
def test_rows_are_drawn_inside_domains(sizes):
    u = np.repeat(np.arange(len(sizes)), sizes)
    assert min(sizes) == FEWEST_ROWS_OF_DOMAIN
    for seed in range(5):
        train, held_out = split(Rows(np.arange(len(u))[:, None], u), seed)
        assert sorted(np.concatenate([train.x, held_out.x])[:, 0]) == list(range(len(u)))
        np.testing.assert_array_equal(u[train.x[:, 0]], train.u)
        again = resampled(train, seed, 1)
        for rows, share in ((held_out, 0.2), (again, 0.64)):
            np.testing.assert_allclose(np.bincount(rows.u) / sizes, share, atol=1.7 / 79)
        assert np.bincount(again.u).min() >= FEWEST_ROWS


def test_without_domains_the_rows_and_the_key_are_as_ever(tmp_path):
    values = np.arange(500.0)[:, None]
    train, held_out = split(Rows(values), 3)
    order = child_generator(3, "held out").permutation(500)
    np.testing.assert_array_equal(held_out.x[:, 0], order[: held_out_count(500)])
    np.testing.assert_array_equal(train.x[:, 0], order[100:])
    order = child_generator(3, "resampled", 2).permutation(400)
    np.testing.assert_array_equal(resampled(train, 3, 2).x, train.x[np.sort(order[:320])])

    drawn(300)[0].drop(columns="site").to_csv(tmp_path / "data.csv", index=False)
    data, options = read(tmp_path / "data.csv"), AnalysisOptions()
    key = AnalysisFolder(tmp_path / "study").begin(tmp_path, data, ReadOptions(), options).key
    before = {"n_latents": None, "quick": False, "fits": 5, "steps": None, "alpha": 0.01, "seed": 0}
    digest = hashlib.sha256(data.values).hexdigest()
    assert key == short_hash(canonical_json([digest, before, 1]))


def test_what_only_differs_between_domains_is_no_agreement():
    u = np.repeat([0, 1, 2], 50)
    means = np.array([0.1, 2.3, -1.7])[u].astype(np.float32).astype(float)
    noise = np.random.default_rng(0).normal(size=150)
    inside = Rows(np.zeros((150, 1)), u).inside_domains(np.column_stack([means, means + noise]))
    assert (inside[:, 0] == 0).all()
    np.testing.assert_allclose(inside[:, 1].std(), noise.std(), rtol=0.05)
