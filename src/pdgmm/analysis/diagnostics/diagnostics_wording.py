"""Numbers as readers see them, in JSON and in sentences."""

import math
from collections.abc import Iterable


def number_or_null(value: float | None) -> float | None:
    """A JSON number; null for what is not defined (None, NaN or infinite)."""
    return None if value is None or not math.isfinite(value) else float(value)


def percent(share: float) -> str:
    """``0.483`` as ``48 %``; shares below 10 % keep a digit more."""
    return f"{100 * share:.{1 if 0 < share < 0.0995 else 0}f} %"


def enumerated(words: Iterable[object]) -> str:
    """``1, 2 and 3``."""
    words = [str(word) for word in words]
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)


def latents_named(latents: Iterable[int]) -> str:
    """``latent 3`` or ``latents 1, 2 and 3`` for latents counted from 0."""
    numbers = [latent + 1 for latent in latents]
    return f"latent{'s' if len(numbers) > 1 else ''} {enumerated(numbers)}"
