"""The base class of everything a user can set: typed, closed to unknown keys, and written in one canonical way."""

import hashlib
import json
import unicodedata
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, field_validator
from pydantic.fields import FieldInfo

LARGEST = 10**15
"""The largest whole number that a setting may be. Computations could not hold larger ones."""


class Settings(BaseModel):
    """Immutable settings. Unknown keys and wrong types are errors: ``"1e-3"`` is not a number."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)

    @field_validator("*")
    @classmethod
    def _can_be_handed_on(cls, value: Any) -> Any:
        # The values inside a dictionary are checked where they are used: there the key is known.
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, int) and abs(part) > LARGEST:
                raise ValueError(f"whole numbers are at most {LARGEST:.0e}")
            # Commands, file names and figures cannot contain control characters.
            if isinstance(part, str) and any(
                unicodedata.category(c) == "Cc" and c not in "\n\t" for c in part
            ):
                raise ValueError("texts have no control characters but tabs and ends of lines")
        return value

    @classmethod
    def changed(cls, field: str, default: Any) -> Any:
        """A field with another default, for a subclass: ``steps: int = Parent.changed("steps", 5)``."""
        return FieldInfo.merge_field_infos(cls.model_fields[field], default=default)

    def canonical(self) -> str:
        """All values, defaults included, as sorted JSON: equal meaning gives equal text."""
        return canonical_json(self.model_dump(mode="json"))


def canonical_json(value: Any) -> str:
    """JSON with sorted keys and no spaces, in which 1.0 and 1 are the same number."""
    return json.dumps(_plain_numbers(value), sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def flat(settings: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested settings under dotted names: ``{"samples": {"train": 5}}`` becomes ``{"samples.train": 5}``."""
    values: dict[str, Any] = {}
    for key, value in settings.items():
        values |= flat(value, f"{prefix}{key}.") if isinstance(value, Mapping) else {prefix + key: value}
    return values


def short_hash(text: str) -> str:
    """The first eight hex digits of the text's SHA-256."""
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def _plain_numbers(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: _plain_numbers(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain_numbers(item) for item in value]
    return value
