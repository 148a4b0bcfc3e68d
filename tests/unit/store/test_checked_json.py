"""JSON files with their own checksum."""

import json
from pathlib import Path

import pytest

from pdgmm.errors import UserError
from pdgmm.store.checked_json import (
    CHECKSUM,
    DamagedFile,
    read_checked_json,
    read_json_object,
    write_checked_json,
)

CONTENT = {"b": [1, 2.5, None], "a": {"x": "é"}}
REPAIR = "Do this"


@pytest.fixture
def path(tmp_path):
    write_checked_json(tmp_path / "some.json", CONTENT)
    return tmp_path / "some.json"


def test_what_is_written_comes_back(path):
    assert read_checked_json(path, REPAIR) == CONTENT


def test_numbers_as_keys_come_back_as_texts(path):
    write_checked_json(path, {"steps": {10: 1, 9: 2}})
    assert read_checked_json(path, REPAIR) == {"steps": {"10": 1, "9": 2}}


def test_the_bytes_are_those_of_models_of_earlier_versions(path):
    # Taken once from the code before it was shared: models on disk must stay readable.
    assert json.loads(path.read_text())[CHECKSUM] == (
        "79b05ccf654de022dbcaa9f24ef27ead20356b05639460137c968290edfc0960"
    )
    assert path.read_text().startswith('{\n  "a": {\n    "x": "\\u00e9"\n  },\n  "b": [\n    1,\n    2.5,')


def test_another_order_and_other_spaces_are_no_damage(path):
    content = json.loads(path.read_text())
    path.write_text(json.dumps(dict(reversed(content.items()))))
    assert read_checked_json(path, REPAIR) == CONTENT


DEEP = '{"description_sha256": null, "a": ' + "[" * 700 + "]" * 700 + "}"


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", "[" * 100_000, '{"a": NaN, "description_sha256": "x"}', DEEP, "\x00"]
)
def test_damage_is_named_with_its_repair(path, text):
    path.write_text(text)
    with pytest.raises(DamagedFile, match=r"some.json is damaged \(.*\)\. Do this"):
        read_checked_json(path, REPAIR)


def test_what_cannot_be_written_again_does_not_fit_its_checksum(path, monkeypatch):
    content = read_json_object(path, REPAIR)

    def too_deep(*args, **kwargs):
        raise RecursionError

    monkeypatch.setattr("pdgmm.store.checked_json.json.dumps", too_deep)
    path.write_text(path.read_text().replace(content[CHECKSUM], ""))
    with pytest.raises(DamagedFile, match="does not fit the checksum"):
        read_checked_json(path, REPAIR)


@pytest.mark.parametrize(("old", "new"), [("2.5", "6.5"), ('"x"', '"y"'), ("null", "0")])
def test_a_changed_value_is_noticed(path, old, new):
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(DamagedFile, match="does not fit the checksum in it"):
        read_checked_json(path, REPAIR)


def test_one_without_a_checksum_is_told_from_a_damaged_one(path):
    path.write_text(json.dumps(CONTENT))
    with pytest.raises(UserError, match=r"some.json has no checksum.*earlier version.*Do this") as raised:
        read_checked_json(path, REPAIR)
    assert not isinstance(raised.value, DamagedFile)
    assert read_json_object(path, REPAIR) == CONTENT


def test_a_folder_in_its_place_is_named(path):
    path.unlink()
    path.mkdir()
    with pytest.raises(DamagedFile, match=r"some.json is a folder.*Do this"):
        read_checked_json(path, REPAIR)


def test_a_missing_one_is_left_to_the_caller(path):
    for place in (path.with_name("none.json"), path / "below.json"):
        with pytest.raises(FileNotFoundError):
            read_checked_json(place, REPAIR)


def test_one_that_may_not_be_read_is_not_called_damaged(path, monkeypatch):
    def refused(self, *args, **kwargs):
        raise PermissionError(13, "Permission denied", str(self))

    # Not by the file's rights: root reads everything.
    monkeypatch.setattr(Path, "read_text", refused)
    with pytest.raises(UserError, match=r"some.json cannot be read: Permission denied") as raised:
        read_checked_json(path, REPAIR)
    assert "damaged" not in str(raised.value)
    assert REPAIR not in str(raised.value)
