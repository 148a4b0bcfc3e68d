"""Damaged studies: what the message says to do, done to the letter, mends them, and finished fits are kept."""

import json
import re
import shutil
import subprocess

import numpy as np
import pytest
from click.testing import CliRunner

from pdgmm.cli import cli
from pdgmm.errors import UserError
from pdgmm.estimator import PDGMM
from pdgmm.analysis.reading.read_options import ReadOptions
from pdgmm.analysis.fitting.encoding import encode_file
from pdgmm.analysis.fitting.analysis_folder import StudyFolder
from pdgmm.analysis.fitting.analysis_options import StudyOptions
from pdgmm.analysis.fitting.run_analysis import run_study
from pdgmm.store.checked_json import CHECKSUM, write_checked_json
from pdgmm.store.shell_quotes import quoted

QUICK = StudyOptions(quick=True, n_latents=3)
FIT_FILES = [
    f"{part}/model.{ending}" for part in ("straightening", "unmixing") for ending in ("json", "safetensors")
]
FILES = [
    "study.json",
    "diagnostics.json",
    "fits/count.json",
    *(f"fits/reference/{name}" for name in FIT_FILES),
]


MENDED_BY_FIT = ["study.json", "diagnostics.json"]
"""The same command writes them anew; to fit again, or to find a number again, needs the user's word."""


class Study:
    """A copy of a finished study, in a folder whose name a shell must not take apart."""

    def __init__(self, folder, place):
        self.data, self.path = folder / "data.csv", place / "Anna's study"
        shutil.copytree(folder / "study", self.path)
        self.latents = self.encoded()
        self.answers = StudyFolder(self.path).answers()
        self.written = (self.path / "latents.csv").read_text()

    def encoded(self):
        out = self.path.with_name("latents.npy")
        encode_file(self.path, self.data, out)
        return np.load(out)

    def fit(self, options=QUICK):
        return run_study(self.data, self.path, ReadOptions(), options)

    def flip(self, name):
        content = bytearray((self.path / name).read_bytes())
        content[len(content) // 2] ^= 1
        (self.path / name).write_bytes(content)

    def change(self, name, change):
        """Edit a JSON file and leave its checksum as it was."""
        content = json.loads((self.path / name).read_text())
        change(content)
        (self.path / name).write_text(json.dumps(content))

    def check(self):
        """That it is as it was when it was finished."""
        np.testing.assert_array_equal(self.encoded(), self.latents)
        assert (self.path / "latents.csv").read_text() == self.written
        assert StudyFolder(self.path).answers() | {"seconds": 0} == self.answers | {"seconds": 0}


@pytest.fixture
def copied(study, tmp_path):
    return Study(study[0], tmp_path)


@pytest.fixture
def fits(monkeypatch):
    """The estimators that were fitted during the test, those that count latents left out."""
    fit, calls = PDGMM.fit, []

    def counted(self, x, y=None):
        calls.append(self)
        return fit(self, x, y)

    monkeypatch.setattr(PDGMM, "fit", counted)
    return calls


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("damage", ["flip", "cut"])
def test_what_is_printed_mends_it(copied, name, damage):
    if damage == "flip":
        copied.flip(name)
    else:
        (copied.path / name).write_bytes((copied.path / name).read_bytes()[:-20])
    if name not in MENDED_BY_FIT:
        with pytest.raises(UserError) as raised:
            copied.fit()
        message = str(raised.value)
        assert quoted(copied.path / name) in message
        subprocess.run(re.search(r"\b(rm '.*') and run", message)[1], shell=True, check=True)
    copied.fit()
    copied.check()


@pytest.mark.parametrize("name", [name for name in FILES if name != "study.json"])
def test_what_is_missing_is_made_again(copied, name):
    (copied.path / name).unlink()
    copied.fit()
    copied.check()


def test_only_the_damaged_fit_is_fitted_again(copied, fits):
    (copied.path / "fits/resampled-2/straightening/model.safetensors").unlink()
    copied.fit()
    assert len(fits) == 1


def test_half_of_a_fit_is_never_mixed_with_half_of_another(copied, monkeypatch):
    reference = copied.path / "fits" / "reference"
    (reference / "straightening" / "model.json").unlink()
    saved = []

    def killed(folder, model):
        saved.append(folder)
        raise KeyboardInterrupt

    monkeypatch.setattr("pdgmm.analysis.fitting.saved_estimator.save_model", killed)
    with pytest.raises(KeyboardInterrupt):
        copied.fit()
    assert saved
    assert not (reference / "unmixing" / "model.json").exists()
    monkeypatch.undo()
    copied.fit()
    copied.check()


def test_a_study_of_an_earlier_version_is_refused_and_mended_by_the_same_fit(copied, fits):
    for name in ("study.json", "diagnostics.json", "fits/count.json"):
        copied.change(name, lambda content: content.pop(CHECKSUM))
    count = json.loads((copied.path / "fits" / "count.json").read_text())
    (copied.path / "fits" / "count.json").write_text(json.dumps(count["answer"]))
    with pytest.raises(UserError, match=r"study.json has no checksum.*Run the same `pdgmm fit"):
        copied.encoded()
    shown = CliRunner().invoke(cli, ["report", str(copied.path)])
    assert "diagnostics.json has no checksum" in str(shown.exception)
    models = {path: path.read_bytes() for path in copied.path.glob("fits/*/*/*")}
    copied.fit()
    assert models == {path: path.read_bytes() for path in models}, "fits were thrown away"
    copied.check()


@pytest.mark.parametrize(
    "change",
    [
        lambda content: content["scales"].__setitem__(0, 5.204),
        lambda content: content.update(columns=["a"]),
        lambda content: content.update(means=[1]),
        lambda content: content.update(key="00000000"),
        lambda content: content.pop(CHECKSUM),
        lambda content: content.clear(),
    ],
)
def test_a_changed_study_json_gives_no_latents_and_the_fits_are_kept(copied, fits, change):
    copied.change("study.json", change)
    with pytest.raises(UserError, match=r"study\.json.*Run the same `pdgmm fit"):
        copied.encoded()
    copied.fit()
    assert fits == []
    copied.check()


def test_a_lost_study_json_is_written_again_where_the_count_says_whose_it_is(copied, fits):
    (copied.path / "study.json").unlink()
    with pytest.raises(UserError, match="holds no study: make one with `pdgmm fit"):
        copied.encoded()
    copied.fit()
    assert fits == []
    copied.check()


@pytest.mark.parametrize("damage", ["cut", "missing"])
def test_fits_of_other_options_are_never_taken_over(copied, damage):
    if damage == "cut":
        (copied.path / "study.json").write_text("{")
    else:
        (copied.path / "study.json").unlink()
    with pytest.raises(UserError, match="other data or with other options"):
        copied.fit(StudyOptions(quick=True, n_latents=3, seed=1))


def test_a_damaged_study_json_that_still_says_whose_it_is_is_enough(copied):
    copied.change("study.json", lambda content: content["scales"].__setitem__(0, 5.204))
    (copied.path / "fits" / "count.json").unlink()
    kept = (copied.path / "fits" / "reference" / "unmixing" / "model.json").stat().st_mtime_ns
    copied.fit()
    assert (copied.path / "fits" / "reference" / "unmixing" / "model.json").stat().st_mtime_ns == kept
    copied.check()


def test_fits_that_nothing_vouches_for_are_left_alone(copied):
    for name in ("study.json", "fits/count.json"):
        (copied.path / name).write_text("{")
    with pytest.raises(
        UserError, match=r"study\.json and .*count\.json cannot be used.*choose another --out"
    ):
        copied.fit()
    assert (copied.path / "fits" / "reference" / "unmixing" / "model.json").exists()


def test_files_of_two_studies_are_refused(copied, tmp_path):
    other = tmp_path / "other"
    run_study(copied.data, other, ReadOptions(drop_columns=["d"]), StudyOptions(quick=True, n_latents=2))
    shutil.copy(other / "fits" / "count.json", copied.path / "fits" / "count.json")
    with pytest.raises(UserError, match="other data or with other options"):
        copied.fit()


def test_a_fit_of_other_columns_is_refused_and_made_again(copied, tmp_path, fits):
    other = tmp_path / "other"
    run_study(copied.data, other, ReadOptions(drop_columns=["d"]), StudyOptions(quick=True, n_latents=2))
    shutil.copytree(other / "fits" / "reference", copied.path / "fits" / "reference", dirs_exist_ok=True)
    with pytest.raises(UserError, match=r"reference was fitted to 3 columns and .*study.json names 4"):
        copied.encoded()
    fits.clear()
    copied.fit()
    assert len(fits) == 1
    copied.check()


def test_an_answer_of_another_version_is_found_again(copied):
    path = copied.path / "fits" / "count.json"
    write_checked_json(path, {"key": json.loads(path.read_text())["key"], "answer": 3})
    copied.fit()
    copied.check()


def test_a_count_that_lost_its_checksum_is_not_believed(copied):
    def change(content):
        del content[CHECKSUM]
        content["answer"]["chosen"] = 2

    copied.change("fits/count.json", change)
    copied.fit()
    copied.check()
