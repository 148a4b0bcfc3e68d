"""Numbers and lists in plain words, the same everywhere on the page."""

import unicodedata
from collections.abc import Iterable, Sequence
from itertools import groupby

NOT_DEFINED = "n/a"

SHORTEST_RUN = 4
"""So many numbers in a row are written as a range."""

_TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Characters that turn the direction of the text after them, which would garble the rest of a line."""


def plain(text: str) -> str:
    """A user's text on one line: what would break or turn a line becomes the replacement character."""
    return "".join(
        " " if character in "\t\n\r" else "\ufffd" if _unshowable(character) else character
        for character in text
    )


def number(value: float | None, digits: int = 2) -> str:
    """With ``digits`` decimals, or ``n/a``; never "-0.00"."""
    if value is None:
        return NOT_DEFINED
    return f"{round(value, digits) + 0.0:.{digits}f}"


def percent(share: float | None, decimals: int | None = None) -> str:
    """A share between 0 and 1 as a percentage: 0.5 is "50%".

    Without ``decimals`` small and almost full shares keep one, so that they do not become none and all.
    """
    if share is None:
        return NOT_DEFINED
    if decimals is None:
        decimals = 0 if share in (0.0, 1.0) or 0.1 <= share <= 0.9 else 1
    return f"{100 * share:.{decimals}f}%"


def count_of(count: int, noun: str) -> str:
    """``1 latent``, ``1,200 latents``."""
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def listed(items: Iterable[object]) -> str:
    """``1``, ``1 and 2``, ``1, 2 and 3``; nothing at all is ``none``."""
    words = [str(item) for item in items]
    if not words:
        return "none"
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def latents(numbers: Sequence[int]) -> str:
    """``no latent``, ``latent 3``, ``latents 1 and 2``, ``latents 1 to 6 and 8``."""
    if not numbers:
        return "no latent"
    return f"latent{'s' if len(numbers) > 1 else ''} {listed(_runs(numbers))}"


def latent_heading(latent: int, trusted: frozenset[int]) -> str:
    """A latent's name at the head of a table's row, which says so when it cannot be trusted."""
    return str(latent) if latent in trusted else f"{latent} (not trusted)"


def duration(seconds: float) -> str:
    """``40 s``, ``2 min 5 s``, ``3 h 2 min``."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def _runs(numbers: Sequence[int]) -> list[str]:
    """The numbers, four and more in a row as ``1 to 4``."""
    words = []
    for _, members in groupby(enumerate(numbers), key=lambda entry: entry[1] - entry[0]):
        run = [number for _, number in members]
        words += [f"{run[0]} to {run[-1]}"] if len(run) >= SHORTEST_RUN else [str(number) for number in run]
    return words


def _unshowable(character: str) -> bool:
    return character in _TURNING or unicodedata.category(character) in ("Cc", "Cs")
