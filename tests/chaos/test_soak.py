"""The soak judges what it measured."""

import pytest
from soak import MEGABYTE, judged


def one_round(memory=400, files=20, scores="s"):
    return {"seconds": 2.0, "memory": memory * MEGABYTE, "files": files, "scores": scores}


@pytest.mark.parametrize(
    ("rounds", "code", "words"),
    [
        ([one_round(memory=400 + 20 * i) for i in range(6)], 0, "memory grew"),
        ([one_round(files=20 + i) for i in range(6)], 0, "open files grew"),
        ([one_round(scores=str(i)) for i in range(6)], 0, "scores differ"),
        ([one_round()] * 5, 1, "ended with 1 after 5 of 6"),
        ([], 1, "ended with 1 after 0 of 6"),
    ],
)
def test_what_is_wrong_is_a_failure_and_breathing_is_not(rounds, code, words):
    breathing = [one_round(memory=400 + 10 * (i % 3)) for i in range(6)]
    assert judged("tiny", 6, 0, breathing, 1.0).failures == 0
    case = judged("tiny", 6, code, rounds, 1.0)
    assert case.failures == 1
    assert words in case.note
