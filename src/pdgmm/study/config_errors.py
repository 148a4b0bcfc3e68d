"""Config errors in plain words: the path of the key, its value, and what is allowed."""

import difflib
import re
from collections.abc import Iterable
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

S = TypeVar("S", bound=BaseModel)

NUMBER_TEXT = re.compile(r"[+-]?\d+(\.\d*)?[eE][+-]?\d+")


def validated(kind: type[S], values: dict[str, Any], where: str, problems: list[str]) -> S | None:
    """The ``values`` as a checked ``kind``. If some are wrong: None, and one line per key is added to ``problems``.

    ``where`` is the path of the values in the config.
    """
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        problems.extend(_lines(error, where, kind))
        return None


def _lines(error: ValidationError, where: str, model: type[BaseModel]) -> list[str]:
    lines: dict[str, list[str]] = {}
    for problem in error.errors(include_url=False):
        *above, last = problem["loc"] or ("",)
        keys = [str(part) for part in above if _is_key(part)]
        # An unknown key may have any name, even `float`.
        keys += [str(last)] if problem["type"] == "extra_forbidden" or _is_key(last) else []
        path = ".".join(filter(None, [where, *keys]))
        lines.setdefault(path or "config", []).append(_explain(problem, model))
    return [f"{path}: {_alternatives(texts)}" for path, texts in lines.items()]


def _alternatives(texts: list[str]) -> str:
    """The alternatives of a union as one sentence: ``'half': input should be '1var', or a valid number``."""
    first, *others = dict.fromkeys(texts)
    return ", or ".join([first, *(other.rpartition("input should be ")[2] for other in others)])


def _explain(problem: ErrorDetails, model: type[BaseModel]) -> str:
    value = problem["input"]
    if problem["type"] == "extra_forbidden":
        fields = sorted(_fields_at(model, problem["loc"][:-1]))
        near = difflib.get_close_matches(str(problem["loc"][-1]), fields, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        return f"unknown key (value {value!r}); {hint}allowed are {', '.join(fields)}"
    if problem["type"] == "missing":
        return "this key is required, but it is missing"
    message = problem["msg"].removeprefix("Value error, ")
    text = f"{value!r}: {message[0].lower()}{message[1:]}"
    if isinstance(value, str) and NUMBER_TEXT.fullmatch(value):
        number = float(value)
        text += f" (YAML reads {value} as text; write {number:.1e} or {number!r})"
    return text


def _fields_at(model: type[BaseModel], path: tuple[int | str, ...]) -> Iterable[str]:
    """The field names of the model at ``path`` below ``model``."""
    for part in path:
        field = model.model_fields.get(str(part))
        inner = field.annotation if field else model
        for candidate in (inner, *getattr(inner, "__args__", ())):
            if isinstance(candidate, type) and issubclass(candidate, BaseModel):
                model = candidate
    return model.model_fields


def _is_key(part: int | str) -> bool:
    # Pydantic adds the union member that it tried ("float", "literal[...]") to the path; it is not a config key.
    return isinstance(part, int) or not re.search(
        r"[\[\]()]|^(constrained-.*|float|int|str|bool|none)$", part
    )
