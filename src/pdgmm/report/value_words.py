"""How numbers and settings are written in tables and figures: Unicode text, no markup."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from pdgmm.settings import canonical_json

MINUS = "\N{MINUS SIGN}"
ABSENT = "\N{EN DASH}"

BASE_LABEL = "base"

_SYMBOLS = {"rho": "ρ", "delta": "δ", "theta": "θ"}


def mean_and_std(mean: float, std: float | None, decimals: int) -> str:
    """``0.966 ± 0.004``, or only the mean if there is no deviation."""
    text = f"{mean:.{decimals}f}"
    return text if std is None else f"{text} ± {std:.{decimals}f}"


def difference(value: float, decimals: int = 2) -> str:
    """``+0.02``, ``−0.07``, or ``0.00`` without a sign if the value rounds to zero."""
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


def normal_value(value: Any) -> Any:
    """The value in one form: ``"50%"`` is 0.5, ``"1 var"`` is ``"1var"``, ``"3"`` is 3.0, ``[2, 3]`` is ``"2,3"``."""
    if isinstance(value, list | tuple):
        return ",".join(str(part) for part in value)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return value
    text = str(value).replace(" ", "")
    try:
        return float(text.removesuffix("%")) / (100.0 if text.endswith("%") else 1.0)
    except ValueError:
        return text


def setting_labels(settings: Sequence[Mapping[str, Any]], base: Mapping[str, Any]) -> list[str]:
    """A name for every row of a table: the values of its setting, without those that all rows share.

    Values equal to those of ``base`` are left out too, unless the rows differ in one setting only: between ``n = 5``
    and ``n = 20``, ``n = 10`` says more than ``base``.
    """
    shared = shared_settings(settings, base)
    varied = {key for setting in settings for key in setting if key not in shared}
    always = varied if len(varied) == 1 else ()
    return [
        setting_label({key: value for key, value in setting.items() if key not in shared}, base, always)
        for setting in settings
    ]


def shared_settings(settings: Sequence[Mapping[str, Any]], base: Mapping[str, Any]) -> dict[str, Any]:
    """The values that all rows share. If there is only one setting, keys of ``base`` are left out."""
    first = settings[0] if settings else {}
    single = all(setting == first for setting in settings)
    return {
        key: value
        for key, value in first.items()
        if all(key in other and other[key] == value for other in settings) and not (single and key in base)
    }


def usual_values(settings: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The base of a sweep without a paper: for every setting the value that more than half of the rows have."""
    # Each setting counts once, even if several methods and measures have a row of it.
    settings = list({canonical_json(dict(setting)): setting for setting in settings}.values())
    usual = {}
    for key in dict.fromkeys(key for setting in settings for key in setting):
        values = [setting.get(key) for setting in settings]
        value, count = Counter(map(repr, values)).most_common(1)[0]
        if 2 * count > len(settings) > 1:
            usual[key] = next(one for one in values if repr(one) == value)
    return usual


def setting_label(setting: Mapping[str, Any], base: Mapping[str, Any], always: Collection[str] = ()) -> str:
    """How a setting differs from a base: ``n = 20, ρ = 75 %``; ``base`` if it does not.

    Keys in ``always`` are written even if they have the base value.
    """
    parts = [
        f"{setting_name(key)} = {setting_value(key, value)}"
        for key, value in setting.items()
        if value is not None
        and (key in always or key not in base or normal_value(value) != normal_value(base[key]))
    ]
    return ", ".join(parts) or BASE_LABEL


def counted(number: int, thing: str) -> str:
    """``1 seed``, ``2 seeds``, ``100,000 training samples``."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def setting_name(key: str) -> str:
    """``ρ`` for ``rho``; most settings have no symbol."""
    return _SYMBOLS.get(key, key)


def setting_value(key: str, value: Any) -> str:
    """``75 %`` for a ``rho`` of 0.75, ``100,000`` for 100000."""
    if key == "rho":
        share = normal_value(value)
        return f"{100 * share:g} %" if isinstance(share, float) else str(share).replace("1var", "1 var")
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    number = f"{int(value):,}" if float(value).is_integer() else f"{value:g}"
    return f"{number}°" if key == "theta" else number
