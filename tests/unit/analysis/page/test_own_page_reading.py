"""Files that are no diagnostics of ours are refused with the way out."""

import json

import pytest
from made_up_diagnostics import diagnostics, write_study

from pdgmm.errors import UserError
from pdgmm.analysis.page.analysis_page import write_page
from pdgmm.analysis.answers import read_diagnostics


def refused(folder, *words):
    with pytest.raises(UserError) as error:
        write_page(folder)
    assert "pdgmm fit" in str(error.value)
    assert "diagnostics.json" in str(error.value)
    for word in words:
        assert word in str(error.value)
    assert not (folder / "report.html").exists()


def test_a_missing_file(tmp_path):
    refused(tmp_path, "missing")


@pytest.mark.parametrize("text", ['{"format_version": 1,', "", "\ufffd"])
def test_text_that_is_no_json(tmp_path, text):
    (tmp_path / "diagnostics.json").write_text(text, encoding="utf-8")
    refused(tmp_path, "cannot be read")


def test_bytes_that_are_no_text(tmp_path):
    (tmp_path / "diagnostics.json").write_bytes(b"\xff\xfe\x00")
    refused(tmp_path, "cannot be read")


@pytest.mark.parametrize("content", [[], {}, {"name": "package"}, 3, None])
def test_another_programs_json(tmp_path, content):
    (tmp_path / "diagnostics.json").write_text(json.dumps(content))
    refused(tmp_path, "not written by pdgmm fit")


def test_another_version(tmp_path):
    refused(write_study(tmp_path, diagnostics() | {"format_version": 2}), "format_version 2")


def break_latents(content):
    content["identified"]["latents"].pop()


def break_sensitivity(content):
    content["meaning"]["sensitivity"][2].pop()


def break_quantiles(content):
    content["assumptions"]["latents"][0]["quantiles"]["normal"].pop()


def break_edge(content):
    content["graph"]["edges"][0]["to"] = 7


def break_blocks(content):
    content["identified"]["blocks"].append([1])


def break_verdict(content):
    content["count"]["verdict"] = "perhaps"


def break_section(content):
    del content["graph"]


def break_rows(content):
    content["meaning"]["sensitivity"].pop()


@pytest.mark.parametrize(
    ("damage", "word"),
    [
        (break_latents, "identified.latents"),
        (break_sensitivity, "meaning"),
        (break_quantiles, "assumptions.latents.0.quantiles"),
        (break_edge, "latent 7"),
        (break_blocks, "blocks"),
        (break_verdict, "count.verdict"),
        (break_section, "graph"),
        (break_rows, "sensitivity"),
    ],
)
def test_a_damaged_file_says_where(tmp_path, damage, word):
    content = diagnostics()
    damage(content)
    refused(write_study(tmp_path, content), "damaged", word)


def test_keys_of_later_versions_are_let_through(tmp_path):
    folder = write_study(tmp_path, diagnostics() | {"something_new": 1})
    assert read_diagnostics(folder).trusted == {1, 2, 3, 4}
