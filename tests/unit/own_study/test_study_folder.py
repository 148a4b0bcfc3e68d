"""A study's folder that is not what this program wrote."""

import json

import pytest

from pdgmm.errors import UserError
from pdgmm.own_data.options import ReadOptions
from pdgmm.own_study.folder import FORMAT_VERSION, StudyFolder
from pdgmm.own_study.options import StudyOptions
from pdgmm.own_study.running import run_study
from pdgmm.store.estimators import load_estimator

MANIFEST = {
    "format_version": FORMAT_VERSION,
    "pdgmm_version": "0.1.0",
    "file": "data.csv",
    "key": "k",
    "columns": ["a"],
    "means": [0.0],
    "scales": [1.0],
    "image_shape": None,
    "reading": {},
    "options": {},
}


@pytest.fixture
def folder(tmp_path):
    def written(content):
        (tmp_path / "study.json").write_text(content if isinstance(content, str) else json.dumps(content))
        return StudyFolder(tmp_path)

    return written


def test_a_whole_one_is_read(folder):
    assert folder(MANIFEST).manifest().columns == ["a"]


@pytest.mark.parametrize("version", [FORMAT_VERSION - 1, FORMAT_VERSION + 1, None])
def test_another_version_is_named_and_not_called_damaged(folder, version):
    with pytest.raises(
        UserError, match=f"has format version {version}.*reads version {FORMAT_VERSION}"
    ) as raised:
        folder(MANIFEST | {"format_version": version}).manifest()
    assert "damaged" not in str(raised.value)


@pytest.mark.parametrize(
    "content", ["{", "[]", "{}", MANIFEST | {"more": 1}, {k: v for k, v in MANIFEST.items() if k != "key"}]
)
def test_a_damaged_one_is_called_so(folder, content):
    with pytest.raises(UserError, match="study.json is damaged"):
        folder(content).manifest()


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "study").write_text("mine")
    with pytest.raises(UserError, match="study is a file, and a study is a folder"):
        run_study(tmp_path / "no.csv", tmp_path / "study", ReadOptions(), StudyOptions())
    with pytest.raises(UserError, match="holds no study"):
        StudyFolder(tmp_path / "study").manifest()
    assert (tmp_path / "study").read_text() == "mine"


def test_a_missing_fit_names_the_command_that_makes_it(tmp_path):
    with pytest.raises(UserError, match="does not exist: .*`pdgmm fit`"):
        load_estimator(tmp_path)
