"""An analysis of a user's own data, for real and small."""

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from pdgmm.analysis.answers import Answers
from pdgmm.analysis.fitting.encoding import encode_file
from pdgmm.analysis.fitting.run_analysis import check_rows, run_analysis
from pdgmm.analysis.options import AnalysisOptions, ReadOptions
from pdgmm.cli.main import cli
from pdgmm.errors import UserError
from pdgmm.estimator import PDGMM
from pdgmm.evaluation.mcc import mcc

QUICK = AnalysisOptions(quick=True, n_latents=3)


def test_trusted_latents_are_the_true_ones(finished, table):
    folder, answers = finished
    assert answers.trusted == {1, 2, 3}
    assert (answers.identified.compared_rows, answers.identified.fitted_rows_too) == (300, False)
    latents = pd.read_csv(folder / "study" / "latents.csv", index_col=0).to_numpy()
    assert mcc(table[1], latents).per_latent.min() > 0.99


def test_nothing_is_trusted_in_noise(tmp_path):
    rng = np.random.default_rng(3)
    np.save(tmp_path / "noise.npy", rng.normal(size=(1200, 3)) @ rng.normal(size=(3, 3)))
    answers = run_analysis(tmp_path / "noise.npy", tmp_path / "study", ReadOptions(), QUICK)
    assert not answers.trusted


def test_a_failed_check_of_an_assumption_counts_against_trust(copied, monkeypatch):
    doubts = [[], [("bent", "the flow bends it")], []]
    monkeypatch.setattr("pdgmm.analysis.fitting.run_analysis.failed_assumptions", lambda *_: doubts)
    answers = run_analysis(copied / "data.csv", copied / "study", ReadOptions(), QUICK)
    assert answers.trusted == {1, 3}
    assert answers.identified.latents[1].doubts == ["bent"]
    assert answers.identified.latents[1].reason == "the flow bends it"


def test_new_rows_are_encoded_like_the_old_ones(finished):
    folder, _ = finished
    shuffled = pd.read_csv(folder / "data.csv")[["d", "a", "c", "b"]]
    shuffled.to_csv(folder / "new.csv", index=False)
    assert encode_file(folder / "study", folder / "new.csv", folder / "new_latents.csv").rows == 1500
    pd.testing.assert_frame_equal(
        pd.read_csv(folder / "new_latents.csv"), pd.read_csv(folder / "study" / "latents.csv"), atol=1e-6
    )


def test_an_interrupted_analysis_goes_on_and_ends_the_same(finished, tmp_path, monkeypatch):
    folder, answers = finished
    fit, calls = PDGMM.fit, []

    def interrupted(self, x, y=None):
        calls.append(self)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return fit(self, x, y)

    monkeypatch.setattr(PDGMM, "fit", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_analysis(folder / "data.csv", tmp_path / "study", ReadOptions(), QUICK)
    before = len(calls)
    again = run_analysis(folder / "data.csv", tmp_path / "study", ReadOptions(), QUICK)
    assert len(calls) - before < before + 3, "finished fits were fitted again"
    assert again.model_copy(update={"seconds": answers.seconds}) == answers


def test_the_commands_print_answers_for_people_and_for_programs(finished):
    folder, answers = finished
    study = str(folder / "study")
    arguments = ["fit", str(folder / "data.csv"), "--out", study, "--quick", "--n-latents", "3"]
    shown = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert "3 of 3 latents can be trusted: 1, 2 and 3" in shown.output
    assert (folder / "study" / "report.html").exists()
    printed = CliRunner().invoke(cli, ["report", study, "--json"], catch_exceptions=False)
    assert Answers.model_validate(json.loads(printed.stdout)).identified == answers.identified


@pytest.mark.parametrize(
    ("rows", "columns", "asked", "said"),
    [
        (200, 30, 17, "too many for 200 rows: give at least 213 rows, or ask for at most 16 latents"),
        (200, 5, 6, "more than the data have columns: ask for at most 5"),
        (8, 3, None, "8 rows are too few for even one latent: give at least 13"),
    ],
)
def test_too_few_rows_are_one_message(rows, columns, asked, said):
    with pytest.raises(UserError, match=said):
        check_rows(rows, columns, asked)


@pytest.mark.parametrize(("rows", "asked"), [(200, 16), (213, 17), (13, 1), (5000, None)])
def test_what_the_message_allows_is_allowed(rows, asked):
    check_rows(rows, 30, asked)


def test_nothing_is_fitted_or_written_before_the_rows_are_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(PDGMM, "fit", lambda *_: pytest.fail("fitted"))
    np.save(tmp_path / "wide.npy", np.random.default_rng(0).normal(size=(200, 30)))
    with pytest.raises(UserError, match="--n-latents 25"):
        run_analysis(tmp_path / "wide.npy", tmp_path / "study", ReadOptions(), AnalysisOptions(n_latents=25))
    assert not (tmp_path / "study").exists(), "another number may be asked for in the same folder"
