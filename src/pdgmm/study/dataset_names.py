"""The names of datasets: readable, and different for every different meaning."""

import re
from collections.abc import Mapping
from typing import Any

from pdgmm.settings import Settings, short_hash


def dataset_name(base_name: str, generator: str, base: Settings, settings: Settings) -> str:
    """The base's name, what differs from it, and the hash of the whole: ``pdgmm_n20-1a2b3c4d``.

    Differences are in the order of the alphabet: where a class declares a setting does not matter.
    """
    ours, theirs = (_flat(one.model_dump()) for one in (settings, base))
    changed = [
        f"{key.split('.')[-1]}{_readable(value)}"
        for key, value in sorted(ours.items())
        if value != theirs[key]
    ]
    readable = "_".join([base_name, *changed])[:80]
    return f"{readable}-{short_hash(generator + settings.canonical())}"


def _flat(values: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in values.items():
        flat |= _flat(value, f"{prefix}{key}.") if isinstance(value, Mapping) else {prefix + key: value}
    return flat


def _readable(value: Any) -> str:
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return re.sub(r"[^A-Za-z0-9.]+", "", text)
