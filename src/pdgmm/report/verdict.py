"""Does a measured mean agree with a published one?"""

from typing import Literal

from pdgmm.report.published import SEEDS, PublishedValue

Verdict = Literal["agrees", "better", "worse"]

STANDARD_ERRORS = 2.0

PUBLISHED_DEVIATIONS = 2.0

RULE = (
    "A measured mean agrees with the published one where they differ by no more than two standard errors of the "
    f"difference, sqrt(s²/seeds + S²/{SEEDS}) with s and S the measured and the published standard deviation over "
    "seeds, or by no more than one unit of the last published digit. Where one of the deviations is not known, the "
    "other one stands for it."
)
"""The rule for readers."""


def tolerance(std: float | None, seeds: int, published: PublishedValue, digit: float) -> float:
    """The largest difference that counts as agreement; see ``RULE``. ``digit`` is one unit of the last one."""
    known = [value for value in (std, published.std) if value is not None]
    ours, theirs = (known * 2)[:2] if known else (0.0, 0.0)
    return max(digit, STANDARD_ERRORS * (ours**2 / seeds + theirs**2 / SEEDS) ** 0.5)


def beyond_deviations(difference: float, published: PublishedValue, digit: float) -> bool:
    """Whether a difference exceeds two published standard deviations, and one unit of the last published digit.

    Without a published deviation nothing does. Where few seeds of ours vary much, such a difference may still be
    within the tolerance: it agrees, and is worth a word.
    """
    if published.std is None:
        return False
    return abs(difference) > max(digit, PUBLISHED_DEVIATIONS * published.std) * (1 + 1e-9)


def verdict(difference: float, largest: float, *, higher_is_better: bool) -> Verdict:
    """What a difference, measured minus published, says where ``largest`` still counts as agreement."""
    # A published 0.97 and a measured 0.96 differ by 0.010000000000000009 in binary numbers.
    if abs(difference) <= largest * (1 + 1e-9):
        return "agrees"
    return "better" if (difference > 0) == higher_is_better else "worse"
