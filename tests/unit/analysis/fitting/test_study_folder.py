"""A study's folder that is not what this program wrote."""

import json
from pathlib import Path

import pytest

from pdgmm.errors import UserError
from pdgmm.analysis.reading.read_options import ReadOptions
from pdgmm.analysis.fitting.analysis_folder import StudyFolder
from pdgmm.analysis.fitting.manifest import FORMAT_VERSION
from pdgmm.analysis.fitting.analysis_options import StudyOptions
from pdgmm.analysis.fitting.run_analysis import run_study
from pdgmm.store.checked_json import write_checked_json
from pdgmm.analysis.fitting.saved_estimator import load_estimator

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
        if isinstance(content, str):
            (tmp_path / "study.json").write_text(content)
        else:
            write_checked_json(tmp_path / "study.json", content)
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


@pytest.mark.parametrize("content", ["{", "[]", "[" * 100_000, "\x00", '{"description_sha256": 1}'])
def test_a_damaged_one_is_called_so(folder, content):
    with pytest.raises(UserError, match=r"study.json is damaged.*the same `pdgmm fit"):
        folder(content).manifest()


@pytest.mark.parametrize(
    "change", [{"scales": [5.0]}, {"columns": ["b"]}, {"key": "l"}, {"format_version": 3}]
)
def test_a_changed_one_is_called_damaged(folder, tmp_path, change):
    written = folder(MANIFEST)
    content = json.loads((tmp_path / "study.json").read_text())
    (tmp_path / "study.json").write_text(json.dumps(content | change))
    with pytest.raises(UserError, match="study.json is damaged"):
        written.manifest()


@pytest.mark.parametrize("content", ["{}", json.dumps(MANIFEST)])
def test_one_without_a_checksum_is_refused(folder, content):
    with pytest.raises(
        UserError, match=r"study.json has no checksum.*the same `pdgmm fit … --out '.*'` again"
    ):
        folder(content).manifest()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"more": 1}, "unknown key 'more'"),
        ({"columns": 5}, "columns"),
        ({"columns": []}, "columns"),
        ({"columns": [1]}, "columns"),
        ({"columns": ["a", "b", "c"]}, "means are no list of 3 numbers"),
        ({"means": None}, "means are no list of 1 numbers"),
        ({"means": [0.0, 0.0]}, "means are no list of 1 numbers"),
        ({"means": [None]}, "one of its means is no finite number"),
        ({"means": [True]}, "one of its means is no finite number"),
        ({"means": [10**400]}, "one of its means is no finite number"),
        ({"scales": None}, "scales are no list"),
        ({"scales": [0]}, "scales is not above 0"),
        ({"scales": [-1.0]}, "scales is not above 0"),
        ({"image_shape": [1, 2]}, "image_shape"),
        ({"image_shape": [1, 2, 0]}, "image_shape"),
        ({"image_shape": 5}, "image_shape"),
        ({"reading": {"x": 1}}, r"reading\.x"),
        ({"reading": {"missing": "bogus"}}, r"reading\.missing"),
        ({"reading": None}, "no JSON object"),
        ({"options": []}, "no JSON object"),
    ],
)
def test_a_whole_one_of_another_program_is_looked_at(folder, change, words):
    with pytest.raises(
        UserError, match=rf"study.json cannot be used \(.*{words}.*the same `pdgmm fit"
    ) as raised:
        folder(MANIFEST | change).manifest()
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("key", sorted(MANIFEST.keys() - {"format_version", "pdgmm_version"}))
def test_a_missing_entry_is_named(folder, key):
    with pytest.raises(UserError, match=f"study.json cannot be used .it has no '{key}'"):
        folder({name: value for name, value in MANIFEST.items() if name != key}).manifest()


def test_one_that_may_not_be_read_is_not_called_damaged(folder, monkeypatch):
    written = folder(MANIFEST)

    def refused(self, *args, **kwargs):
        raise PermissionError(13, "Permission denied", str(self))

    # Not by the file's rights: root reads everything.
    monkeypatch.setattr(Path, "read_text", refused)
    with pytest.raises(UserError, match=r"study.json cannot be read: Permission denied") as raised:
        written.manifest()
    assert not any(word in str(raised.value) for word in ("damaged", "rm ", "remove", "pdgmm fit"))


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
