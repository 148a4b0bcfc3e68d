"""An analysis of a user's own data, for real and small."""

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from pdgmm.analysis.answers import Answers
from pdgmm.analysis.fitting.encoding import encode_file
from pdgmm.analysis.fitting.run_analysis import run_analysis
from pdgmm.analysis.options import AnalysisOptions, ReadOptions
from pdgmm.cli.main import cli
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
    assert "3 of 3 latents can be trusted: 1, 2, 3" in shown.output
    assert (folder / "study" / "report.html").exists()
    printed = CliRunner().invoke(cli, ["report", study, "--json"], catch_exceptions=False)
    assert Answers.model_validate(json.loads(printed.stdout)).identified == answers.identified
