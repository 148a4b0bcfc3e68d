"""How numbers and settings are written in tables and figures: Unicode text, no markup."""

from collections.abc import Collection, Mapping
from typing import Any

from pdgmm.report.published import BASE, STANDARD, normal_value

MINUS = "\N{MINUS SIGN}"
ABSENT = "\N{EN DASH}"

BASE_LABEL = "base"

_SYMBOLS = {"rho": "ρ", "delta": "δ", "theta": "θ"}


def mean_and_std(mean: float, std: float | None, decimals: int) -> str:
    """``0.966 ± 0.004``, or the mean alone where no deviation exists."""
    text = f"{mean:.{decimals}f}"
    return text if std is None else f"{text} ± {std:.{decimals}f}"


def difference(value: float, decimals: int = 2) -> str:
    """``+0.02``, ``−0.07``, or ``0.00`` for whatever rounds to it."""
    rounded = round(value, decimals)
    sign = "+" if rounded > 0 else MINUS if rounded < 0 else ""
    return f"{sign}{abs(rounded):.{decimals}f}"


def duration(seconds: float) -> str:
    """``0.4 s``, ``41 s``, ``12 min``, ``3.5 h``: two digits are enough to judge a cost."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    if seconds < 119.5:
        return f"{seconds:.0f} s"
    if seconds < 119.5 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def row_label(row: Mapping[str, Any]) -> str:
    """The label of the setting of a row of a table, whose settings are under ``setting_<key>``."""
    prefix = "setting_"
    known = {key: value for key, value in row.items() if key.startswith(prefix) and value == value}
    return setting_label({key.removeprefix(prefix): value for key, value in known.items()})


def setting_label(setting: Mapping[str, Any], always: Collection[str] = ()) -> str:
    """What a setting changes in the paper's base setting: ``n = 20, ρ = 75 %``; ``base`` if nothing.

    Keys in ``always`` are written even where they have the base value.
    """
    parts = [
        f"{_SYMBOLS.get(key, key)} = {_value(key, value)}"
        for key, value in setting.items()
        if key in always or not _is_base(key, value)
    ]
    return ", ".join(parts) or BASE_LABEL


def _is_base(key: str, value: Any) -> bool:
    usual = {**BASE, **STANDARD}
    return value is None or (key in usual and normal_value(value) == normal_value(usual[key]))


def _value(key: str, value: Any) -> str:
    if key == "rho":
        share = normal_value(value)
        return f"{100 * share:g} %" if isinstance(share, float) else str(share).replace("1var", "1 var")
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    number = f"{value:,}" if isinstance(value, int) else f"{value:g}"
    return f"{number}°" if key == "theta" else number
