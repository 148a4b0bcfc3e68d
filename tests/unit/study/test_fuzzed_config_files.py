"""Config files of random text: read, or refused by their name."""

import yaml
from hypothesis import given
from hypothesis import strategies as st

from fuzzing import FUZZED
from pdgmm.errors import UserError
from pdgmm.study.config import read_config

WORDS = "a,: ,\n,  ,- ,[,],{,},&a ,*a,',? ,| ,\t,#,!!python/object:os.system ,!!int ,!!bool ,!!timestamp ,include: "
FRAGMENTS = st.sampled_from(
    [*WORDS.encode().split(b","), b"2024-13-45", b"0x", b"1e3", b"x.yaml", b"9" * 5000, b"\x00", b"\xff\xfe"]
)


def test_a_config_file_is_read_or_refused_by_its_name(tmp_path, record_property):
    path = tmp_path / "study.yaml"
    tried = []

    @FUZZED
    @given(st.one_of(st.lists(FRAGMENTS, max_size=12).map(b"".join), st.binary(max_size=30)))
    def check(content):
        tried.append(content)
        path.write_bytes(content)
        try:
            read = read_config([path])
        except UserError as error:
            message = str(error)
            assert str(tmp_path) in message
        else:
            assert repr(read) == repr(yaml.safe_load(content.decode("utf-8")))

    check()
    record_property("tried", len(tried))
