"""Checks of what :class:`pdgmm.PDGMM` is given, with one clear error each."""

from numbers import Integral
from typing import Any

import numpy as np

from pdgmm.errors import UserError


def checked_count(name: str, value: Any, *, optional: bool = False) -> int | None:
    """``value`` as a positive ``int``, or None where that is allowed. A truth value is no number."""
    if value is None and optional:
        return None
    # NumPy's integers are integers too, but not for pydantic, which checks the stages.
    if not isinstance(value, Integral) or isinstance(value, bool | np.bool_) or value < 1:
        raise UserError(f"{name} must be a positive integer{' or None' if optional else ''}, got {value!r}")
    return int(value)


def checked_flag(name: str, value: Any) -> bool:
    """``value`` as a ``bool``; ``"no"`` is none, though Python takes it for true."""
    if not isinstance(value, bool | np.bool_):
        raise UserError(f"{name} must be True or False, got {value!r}")
    return bool(value)
