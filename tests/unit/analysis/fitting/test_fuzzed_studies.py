"""Studies damaged at random: the latents and the answers are what they were, or the file is named; nothing else."""

import shutil

import numpy as np
import pytest
from click.testing import CliRunner

from fuzzing import outcomes_of_damages
from pdgmm.cli import cli
from pdgmm.analysis.reading.read_options import ReadOptions
from pdgmm.analysis.reading.own_data import read
from pdgmm.analysis.fitting.encoding import encode_file
from pdgmm.analysis.fitting.analysis_folder import StudyFolder
from pdgmm.analysis.fitting.analysis_options import StudyOptions

READ_BY_ENCODE = [
    "study.json",
    *(f"fits/reference/{part}/model.json" for part in ("straightening", "unmixing")),
]
OTHERS = ["diagnostics.json", "fits/count.json", "fits/resampled-1/unmixing/model.json"]


@pytest.fixture
def copied(study, tmp_path):
    """A finished study to be damaged, and a few rows to be encoded."""
    shutil.copytree(study[0] / "study", tmp_path / "study")
    rows = (study[0] / "data.csv").read_text().splitlines(keepends=True)[:21]
    (tmp_path / "rows.csv").write_text("".join(rows))
    shutil.copy(study[0] / "data.csv", tmp_path / "data.csv")
    return tmp_path


def test_the_lists_name_every_json_file(copied):
    kept = {str(path.relative_to(copied / "study")) for path in (copied / "study").rglob("*.json")}
    assert {name for name in kept if "resampled" not in name} == {*READ_BY_ENCODE, *OTHERS[:2]}


@pytest.mark.parametrize("name", [*READ_BY_ENCODE, *OTHERS])
def test_latents_are_right_or_the_file_is_named(copied, name, record_property):
    def latents():
        encode_file(copied / "study", copied / "rows.csv", copied / "latents.npy")
        return np.load(copied / "latents.npy").tobytes()

    outcomes = outcomes_of_damages(copied / "study" / name, latents)
    record_property("tried", len(outcomes))
    assert ("refused" in outcomes) == (name in READ_BY_ENCODE)


def test_a_fit_knows_its_folder_or_names_the_file(copied, record_property):
    """Where ``study.json`` is damaged, the count beside the fits says whose they are."""
    data, folder = read(copied / "data.csv"), StudyFolder(copied / "study")
    options = StudyOptions(quick=True, n_latents=3)

    def manifest():
        folder.begin(copied / "data.csv", data, ReadOptions(), options)
        return folder.manifest()

    outcomes = outcomes_of_damages(copied / "study" / "study.json", manifest)
    record_property("tried", len(outcomes))
    assert set(outcomes) == {"read"}


def test_a_count_is_right_or_found_again_or_named(copied, record_property):
    path, folder = copied / "study" / "fits" / "count.json", StudyFolder(copied / "study")
    found = folder.answered("count", "k", dict)

    def count():
        # What has lost its checksum is found again, which gives the same.
        return folder.answered("count", "k", lambda: found)

    outcomes = outcomes_of_damages(path, count, "rm '")
    record_property("tried", len(outcomes))
    assert "refused" in outcomes


def test_answers_are_right_or_the_file_is_named(copied, record_property, monkeypatch):
    # The page itself takes a second, and is drawn from the same file after it was checked.
    monkeypatch.setattr("pdgmm.analysis.page.analysis_page.write_page", lambda study: study / "report.html")

    def answers():
        shown = CliRunner().invoke(cli, ["report", str(copied / "study"), "--json"])
        if shown.exception is not None:
            raise shown.exception
        return shown.stdout

    outcomes = outcomes_of_damages(copied / "study" / "diagnostics.json", answers)
    record_property("tried", len(outcomes))
    assert "refused" in outcomes
