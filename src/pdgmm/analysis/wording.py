"""Numbers, names and lists in plain words: the same in messages, in the answers and on the page."""

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from itertools import groupby

from pdgmm.report.value_words import counted as counted

NOT_DEFINED = "n/a"

SHORTEST_RUN = 4
"""This many numbers in a row are written as a range."""

_TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Characters that turn the direction of the text after them, which would garble the rest of a line."""


def plain(text: str) -> str:
    """A user's text on one line: what would break or turn a line becomes the replacement character."""
    return "".join(
        "\ufffd" if character in _TURNING or unicodedata.category(character) in ("Cc", "Cs") else character
        for character in re.sub(r"[\t\n\r]", " ", text)
    )


def number(value: float | None, digits: int = 2) -> str:
    """With ``digits`` decimals, or ``n/a``; never "-0.00"."""
    return NOT_DEFINED if value is None else f"{round(value, digits) + 0.0:.{digits}f}"


def percent(share: float | None, decimals: int | None = None) -> str:
    """A share between 0 and 1 as a percentage: 0.5 is "50%".

    Without ``decimals`` small and almost full shares keep one, so that they do not become none and all.
    """
    if share is None:
        return NOT_DEFINED
    if decimals is None:
        decimals = 0 if share in (0.0, 1.0) or 0.1 <= share <= 0.9 else 1
    return f"{100 * share:.{decimals}f}%"


def listed(items: Iterable[object]) -> str:
    """``1``, ``1 and 2``, ``1, 2 and 3``; ``none`` where there are no items."""
    *others, last = [str(item) for item in items] or ["none"]
    return f"{', '.join(others)} and {last}" if others else last


def first_few(words: Iterable[object], most: int = 5) -> str:
    """The first few words, and how many more there are."""
    words = [str(word) for word in words]
    more = f" and {len(words) - most} more" if len(words) > most else ""
    return ", ".join(words[:most]) + more


def latents(numbers: Sequence[int]) -> str:
    """``no latent``, ``latent 3``, ``latents 1 and 2``, ``latents 1 to 6 and 8``; numbers count from 1."""
    if not numbers:
        return "no latent"
    return f"latent{'s' if len(numbers) > 1 else ''} {listed_numbers(numbers)}"


def listed_numbers(numbers: Sequence[int]) -> str:
    """``3``, ``1 and 2``, ``1 to 6 and 8``."""
    words: list[object] = []
    for _, members in groupby(enumerate(numbers), key=lambda entry: entry[1] - entry[0]):
        run = [member for _, member in members]
        words += [f"{run[0]} to {run[-1]}"] if len(run) >= SHORTEST_RUN else run
    return listed(words)


def latent_heading(latent: int, sure: Collection[int], word: str = "trusted") -> str:
    """A latent's name at the head of a table's row, which says so when it is not among those that are ``word``."""
    return str(latent) if latent in sure else f"{latent} (not {word})"


def duration(seconds: float) -> str:
    """``40 s``, ``2 min 5 s``, ``3 h 2 min``."""
    minutes, rest = divmod(round(seconds), 60)
    if minutes >= 60:
        return f"{minutes // 60} h {minutes % 60} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
