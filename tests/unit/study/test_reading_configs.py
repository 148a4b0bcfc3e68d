"""Config files: merged, included, or refused by name."""

import pytest

from pdgmm.errors import UserError
from pdgmm.study.config import read_config


def test_config_files_merge_like_snakemake(tmp_path):
    first, second = tmp_path / "a.yaml", tmp_path / "b.yaml"
    first.write_text("a: {x: 1, y: [1, 2]}\nb: 1\n")
    second.write_text("a: {y: [3]}\n")
    assert read_config([first, second]) == {"a": {"x": 1, "y": [3]}, "b": 1}


def test_a_config_builds_on_the_one_it_includes(tmp_path):
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "base.yaml").write_text("a: {x: 1, y: [1, 2]}\nb: 1\n")
    (tmp_path / "shared" / "middle.yaml").write_text("include: base.yaml\nb: 2\n")
    (tmp_path / "top.yaml").write_text("include: shared/middle.yaml\na: {y: [3]}\n")
    assert read_config([tmp_path / "top.yaml"]) == {"a": {"x": 1, "y": [3]}, "b": 2}


@pytest.mark.parametrize(
    ("content", "words"), [("include: top.yaml", "includes itself"), ("include: [x]", "no file name")]
)
def test_an_include_that_cannot_be_followed_is_named(tmp_path, content, words):
    (tmp_path / "top.yaml").write_text(content)
    with pytest.raises(UserError, match=f"top.yaml.*{words}"):
        read_config([tmp_path / "top.yaml"])


@pytest.mark.parametrize(("content", "words"), [("a: [1", "no valid YAML"), ("just text", "just text")])
def test_an_unreadable_config_is_named(tmp_path, content, words):
    path = tmp_path / "bad.yaml"
    path.write_text(content)
    with pytest.raises(UserError, match=words):
        read_config([path])
    with pytest.raises(UserError, match="missing.yaml"):
        read_config([tmp_path / "missing.yaml"])


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("a: 1\nb: {c: 1,\n  c: 2}\n", "the key `c` stands in line 2 and in line 3"),
        ("a: 1\nb: 2\na: 3\n", "the key `a` stands in line 1 and in line 3"),
        ("a: {n: 5, n: 5}\n", "the key `n` stands twice in line 1"),
        ("a:\n- {b: 1}\n- {b: 1, 'b': 2}\n", "the key `b` stands twice in line 3"),
    ],
)
def test_a_key_that_is_repeated_is_refused_and_not_dropped(tmp_path, content, words):
    path = tmp_path / "twice.yaml"
    path.write_text(content)
    with pytest.raises(UserError, match=f"twice.yaml: {words}"):
        read_config([path])


def test_keys_may_be_repeated_where_one_part_builds_on_another(tmp_path):
    path = tmp_path / "merged.yaml"
    path.write_text(
        "x: {y: &b {<<: &a {n: 1, m: 1}, n: 2}}\nz: {<<: *b, m: 3}\nloop: &l {me: *l}\nw: [*a, *b]\n"
    )
    content = read_config([path])
    assert (content["x"]["y"], content["z"]) == ({"n": 2, "m": 1}, {"n": 2, "m": 3})
    assert content["w"] == [{"n": 1, "m": 1}, {"n": 2, "m": 1}]
