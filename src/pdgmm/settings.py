"""The base of everything a user can set: typed, closed to unknown keys, written one way."""

import hashlib
import json
from typing import Any

from pydantic import BaseModel, ConfigDict


class Settings(BaseModel):
    """Immutable settings. Unknown keys and wrong types are errors: ``"1e-3"`` is no number."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)

    def canonical(self) -> str:
        """All values, defaults included, as sorted JSON: equal meaning gives equal text."""
        return canonical_json(self.model_dump(mode="json"))


def canonical_json(value: Any) -> str:
    """JSON with sorted keys and no spaces, in which 1.0 and 1 are the same number."""
    return json.dumps(_plain_numbers(value), sort_keys=True, separators=(",", ":"), ensure_ascii=True)


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
