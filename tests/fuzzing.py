"""What tests with random draws share: how many there are, and how a file is damaged.

``PDGMM_FUZZ_EXAMPLES`` says how many of a kind are drawn; the draws are the same each time.
"""

import os

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pdgmm.errors import UserError

FUZZED = settings(
    max_examples=int(os.environ.get("PDGMM_FUZZ_EXAMPLES", "100")),
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


@st.composite
def damages(draw):
    """A function from the bytes of a file to those of a damaged one."""
    kind = draw(st.sampled_from(["flip", "flip", "flip", "zeros", "cut", "insert", "append", "foreign"]))
    place = draw(st.floats(0, 1, exclude_max=True))
    if kind == "flip":
        flips = draw(
            st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 7)), min_size=1, max_size=4)
        )

        def flip(content):
            damaged = bytearray(content)
            for where, bit in flips:
                damaged[int(where * len(content))] ^= 1 << bit
            return bytes(damaged)

        return flip
    if kind == "foreign":
        foreign = draw(
            st.binary(max_size=40)
            | st.sampled_from([b"", b"{}", b"[]", b"null", b"\x89HDF\r\n\x1a\n", b"PK\x03\x04"])
        )
        return lambda content: foreign
    extra = draw(st.binary(min_size=1, max_size=64))

    def changed(content):
        at = int(place * len(content))
        middle = {"zeros": bytes(64), "cut": b"", "insert": extra, "append": content[at:] + extra}[kind]
        rest = {"zeros": content[at + 64 :], "cut": b"", "insert": content[at:], "append": b""}[kind]
        return content[:at] + middle + rest

    return changed


def outcomes_of_damages(path, read, *said):
    """What came of each damage to the file at ``path``: "refused" with ``path`` and ``said``, or "read" as before.

    ``read()`` gives what the files mean, in a form that can be compared.
    """
    whole, written = path.read_bytes(), read()
    outcomes = []

    @FUZZED
    @given(damages())
    def check(damage):
        path.write_bytes(damage(whole))
        try:
            found = read()
        except UserError as error:
            message = str(error)
            assert all(part in message for part in (str(path), *said)), message
            outcomes.append("refused")
        else:
            assert found == written, "something else, and nobody noticed"
            outcomes.append("read")

    check()
    return outcomes
