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
    ("content", "words"),
    [
        (b"include: top.yaml", "includes itself"),
        (b"include: [x]", "no file name"),
        (b'include: "\\0"', ""),
        (b"include: missing.yaml", "missing.yaml"),
        (b"a: [1", "no valid YAML"),
        (b"just text", "just text"),
        (b"a: 1\nb: {c: 1,\n  c: 2}\n", "the key `c` occurs in line 2 and in line 3"),
        (b"a: {n: 5, n: 5}\n", "the key `n` occurs twice in line 1"),
        (b"a:\n- {b: 1}\n- {b: 1, 'b': 2}\n", "the key `b` occurs twice in line 3"),
        (b"\xff\xfe", ""),
        (b"a: 2024-13-45", ""),
        (b"a: " + b"9" * 5000, ""),
        (b"a: " + b"[" * 5000, ""),
        (b"!!python/object:os.system a", ""),
        (b"a: !!bool x", ""),
    ],
)
def test_what_cannot_be_read_or_is_repeated_is_refused_by_the_files_name(tmp_path, content, words):
    (tmp_path / "top.yaml").write_bytes(content)
    with pytest.raises(UserError, match=r"(top|missing)\.yaml") as raised:
        read_config([tmp_path / "top.yaml"])
    assert words in str(raised.value)


def test_keys_may_be_repeated_where_one_part_builds_on_another(tmp_path):
    path = tmp_path / "merged.yaml"
    path.write_text(
        "x: {y: &b {<<: &a {n: 1, m: 1}, n: 2}}\nz: {<<: *b, m: 3}\nloop: &l {me: *l}\nw: [*a, *b]\n"
    )
    content = read_config([path])
    assert (content["x"]["y"], content["z"]) == ({"n": 2, "m": 1}, {"n": 2, "m": 3})
    assert content["w"] == [{"n": 1, "m": 1}, {"n": 2, "m": 1}]
