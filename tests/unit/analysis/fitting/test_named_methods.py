"""Methods of the catalogue on a user's own data: fitted, kept, resumed, encoded, and refused where they cannot be."""

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from pdgmm.analysis.fitting import run_analysis as running
from pdgmm.analysis.fitting.analysis_folder import AnalysisFolder
from pdgmm.analysis.fitting.chain_fitting import checked_parts, fit_chain
from pdgmm.analysis.fitting.encoding import encode_file
from pdgmm.analysis.fitting.fitted_chain import load_chain, save_chain
from pdgmm.analysis.fitting.run_analysis import run_analysis
from pdgmm.analysis.options import AnalysisOptions, ReadOptions
from pdgmm.cli.main import cli
from pdgmm.errors import UserError
from pdgmm.evaluation.mcc import mcc

FASTICA = AnalysisOptions(method="fastica", n_latents=2)


def drawn(rows=600):
    """A table of two heavy-tailed latents that never rest, and the latents."""
    rng = np.random.default_rng(100)
    z = rng.laplace(size=(rows, 2))
    return pd.DataFrame(z @ rng.normal(size=(2, 3)), columns=["a", "b", "c"]), z


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    """A folder with ``data.csv`` and its ``study`` by the command line, and what was printed."""
    folder = tmp_path_factory.mktemp("named")
    drawn()[0].to_csv(folder / "data.csv", index=False)
    arguments = [
        "fit",
        folder / "data.csv",
        "--out",
        folder / "study",
        "--method",
        "fastica",
        "--n-latents",
        2,
    ]
    done = CliRunner().invoke(cli, list(map(str, arguments)), catch_exceptions=False)
    return folder, done.stdout


def test_the_latents_are_found_and_none_is_called_trusted(fitted):
    folder, printed = fitted
    answers = AnalysisFolder(folder / "study").answers()
    assert answers.settings.method == "fastica"
    assert answers.assumptions is None
    assert (answers.trusted, answers.sure) == (frozenset(), {1, 2})
    assert answers.count.non_gaussian_sentence == ""
    assert "Linear models with noise were compared, not " in answers.count.sentence
    assert printed.startswith("2 of 2 latents of fastica found again in every fit: 1 and 2\n")
    assert "What fastica assumes was not checked, so no latent is called trusted." in " ".join(
        printed.split()
    )
    latents = pd.read_csv(folder / "study" / "latents.csv", index_col=0).to_numpy()
    assert mcc(drawn()[1], latents).per_latent.min() > 0.95


def test_the_page_has_the_questions_that_apply(fitted):
    page = (fitted[0] / "study" / "report.html").read_text(encoding="utf-8")
    assert "Four questions" in page
    assert "Do further fits find them again?" in page
    assert "no latent is called trusted" in page
    for left_out in (
        "Do the assumptions hold?",
        "can be trusted",
        "Rest and normality",
        "More than Gaussian",
    ):
        assert left_out not in page
    figures = {path.stem for path in (fitted[0] / "study" / "figures").glob("*.svg")}
    assert figures == {"count", "identified", "meaning", "graph"}


def test_new_rows_are_encoded_like_the_old_ones(fitted):
    folder = fitted[0]
    pd.read_csv(folder / "data.csv")[["c", "a", "b"]].to_csv(folder / "new.csv", index=False)
    encode_file(folder / "study", folder / "new.csv", folder / "again.csv")
    again, before = (pd.read_csv(folder / name) for name in ("again.csv", "study/latents.csv"))
    pd.testing.assert_frame_equal(again, before, atol=1e-5)


def test_only_what_is_missing_is_fitted_again_and_the_end_is_the_same(fitted, monkeypatch):
    folder, calls = fitted[0], []
    before = AnalysisFolder(folder / "study").answers()
    (folder / "study/fits/resampled-3/1-fastica/model.json").unlink()
    monkeypatch.setattr(running, "fit_chain", lambda *args: calls.append(args) or fit_chain(*args))
    again = run_analysis(folder / "data.csv", folder / "study", ReadOptions(), FASTICA)
    assert len(calls) == 1
    assert again.model_copy(update={"seconds": before.seconds}) == before


def test_a_folder_of_another_method_is_refused(fitted):
    for options in (AnalysisOptions(method="pca", n_latents=2), AnalysisOptions(n_latents=2, quick=True)):
        with pytest.raises(UserError, match="other data or with other options"):
            run_analysis(fitted[0] / "data.csv", fitted[0] / "study", ReadOptions(), options)


def test_a_model_of_another_table_is_named(fitted, tmp_path):
    parts = checked_parts(FASTICA, "data.csv")
    x = np.random.default_rng(0).laplace(size=(300, 3))
    save_chain(tmp_path, ["fastica"], fit_chain(parts, x, None, 2, 0))
    assert load_chain(tmp_path, ["fastica"]).n_latents_ == 2
    (tmp_path / "1-fastica/model.json").unlink()
    with pytest.raises(UserError, match=r"1-fastica/model\.json does not exist"):
        load_chain(tmp_path, ["fastica"])


@pytest.mark.parametrize(("method", "steps"), [("flow+spike_slab", 20), ("dica", 20), ("l1_rotation", None)])
def test_a_chain_comes_back_from_disk_as_it_was(tmp_path, method, steps):
    options = AnalysisOptions(method=method, steps=steps)
    x = drawn(300)[0].to_numpy()
    chain = fit_chain(checked_parts(options, "data.csv"), x, None, 2, seed=1)
    save_chain(tmp_path, options.chain, chain)
    again = load_chain(tmp_path, options.chain)
    latents = chain.transform(x)
    assert latents.shape == (300, 2)
    np.testing.assert_array_equal(again.transform(x), latents)
    assert again.decodes
    assert again.inverse_transform(latents).shape == x.shape


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"method": "dicca"}, "'dicca' is unknown; did you mean 'dica'"),
        ({"method": "identity+pca"}, "must be written 'pca'"),
        ({"method": "ivae"}, "ivae needs the side variable 'u', and data.csv .* --domain-column"),
        ({"method": "flow+nonstationary"}, "nonstationary needs the side variable 'u'"),
        ({"method": "oracle"}, "oracle must be told the true 'masks', and data.csv .* another method"),
        ({"method": "supervised"}, "supervised must be told the true 'z'"),
        ({"method": "keypoints"}, "keypoints reads images"),
        ({"method": "pca", "quick": True}, "--quick is for the fit without --method"),
        ({"method": "pca", "steps": 5}, "--steps 5: pca has no training steps"),
        (
            {"method": "pca", "domain_column": "site"},
            "pca does not see domains: .*domain_flow.*--drop-columns 'site'",
        ),
    ],
)
def test_what_a_method_needs_is_said_before_the_file_is_read(options, said, tmp_path):
    with pytest.raises(UserError, match=said):
        run_analysis("data.csv", tmp_path / "study", ReadOptions(), AnalysisOptions(**options))
    assert not (tmp_path / "study").exists()


def test_a_method_that_gives_another_number_of_latents_is_named():
    parts = checked_parts(AnalysisOptions(method="identity"), "data.csv")
    with pytest.raises(UserError, match="identity gives 3 latents where 2 were asked for: say --n-latents 3"):
        fit_chain(parts, drawn()[0].to_numpy(), None, 2, 0)


def test_a_fit_that_fails_is_one_message(monkeypatch):
    from pdgmm.errors import FitFailed
    from pdgmm.methods.fastica import FastICA

    def failed(*_):
        raise FitFailed("diverged", "the loss is NaN")

    monkeypatch.setattr(FastICA, "fit", failed)
    with pytest.raises(UserError, match="fastica found no latents: the loss is NaN. Another --seed"):
        fit_chain(checked_parts(FASTICA, "data.csv"), np.ones((9, 3)), None, 2, 0)
