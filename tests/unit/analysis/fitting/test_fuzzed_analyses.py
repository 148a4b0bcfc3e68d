"""Analyses damaged at random: latents and answers are what they were, or the file is named; nothing else."""

import numpy as np
import pytest

from fuzzing import outcomes_of_damages
from pdgmm.analysis.fitting.analysis_folder import AnalysisFolder
from pdgmm.analysis.fitting.encoding import encode_file

READ_BY_ENCODE = [
    "study.json",
    *(f"fits/reference/{part}/model.json" for part in ("straightening", "unmixing")),
]


@pytest.mark.parametrize("name", READ_BY_ENCODE)
def test_latents_are_right_or_the_file_is_named(copied, name, record_property):
    rows = (copied / "data.csv").read_text().splitlines(keepends=True)[:21]
    (copied / "rows.csv").write_text("".join(rows))

    def latents():
        encode_file(copied / "study", copied / "rows.csv", copied / "latents.npy")
        return np.load(copied / "latents.npy").tobytes()

    outcomes = outcomes_of_damages(copied / "study" / name, latents)
    record_property("tried", len(outcomes))
    assert "refused" in outcomes


@pytest.mark.parametrize("name", ["diagnostics.json", "fits/count.json"])
def test_answers_are_right_or_the_file_is_named(copied, name, record_property):
    folder = AnalysisFolder(copied / "study")

    def answer():
        # Every damaged file is there, so that nothing is counted again.
        return folder.answers() if name == "diagnostics.json" else folder.counted(pytest.fail)

    outcomes = outcomes_of_damages(copied / "study" / name, answer)
    record_property("tried", len(outcomes))
    assert "refused" in outcomes
