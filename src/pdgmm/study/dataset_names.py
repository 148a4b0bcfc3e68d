"""The names of datasets: readable, and different for every different meaning."""

import re
from collections.abc import Mapping
from typing import Any

from pdgmm.settings import Settings, canonical_json, short_hash

FEATURES = "features"
"""The setting of datasets of images that says what the stages see of them."""


def dataset_name(base_name: str, generator: str, base: Settings, settings: Settings) -> str:
    """The base's name, what differs from it, and the hash of the whole: ``pdgmm_n20-1a2b3c4d``.

    Differences stand in the order of the alphabet: where a class declares a setting does not matter. Features of
    images come last, ``balls-1a2b3c4d@keypoints``: what stands before them are the images.
    """
    features = getattr(settings, FEATURES, None)
    left_out = set() if features is None else {FEATURES}
    ours, theirs = (_flat(one.model_dump(exclude=left_out)) for one in (settings, base))
    changed = [
        f"{key.split('.')[-1]}{_readable(value)}"
        for key, value in sorted(ours.items())
        if value != theirs[key]
    ]
    readable = "_".join([base_name, *changed])[:80]
    whole = canonical_json(settings.model_dump(mode="json", exclude=left_out))
    name = f"{readable}-{short_hash(generator + whole)}"
    return name if features is None else f"{name}@{features}"


def images_name(name: str) -> str | None:
    """The images behind a dataset of features; None where a dataset is no such."""
    images, at, _ = name.partition("@")
    return images if at else None


def _flat(values: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in values.items():
        flat |= _flat(value, f"{prefix}{key}.") if isinstance(value, Mapping) else {prefix + key: value}
    return flat


def _readable(value: Any) -> str:
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return re.sub(r"[^A-Za-z0-9.]+", "", text)
