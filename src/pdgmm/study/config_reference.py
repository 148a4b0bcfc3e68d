"""The reference of the config, written from the classes that check it: Markdown, and a JSON schema for editors."""

import json
import types
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jinja2 import Template
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from pdgmm.data import GENERATORS, generator_class
from pdgmm.evaluation.graphs import GRAPHS, graph_class
from pdgmm.methods import METHODS, method_class
from pdgmm.study.config import INCLUDE, Config, Experiment

CATALOGUES = {
    "datasets": ("generator", GENERATORS, generator_class),
    "methods": ("method", METHODS, method_class),
    "graphs": ("method", GRAPHS, graph_class),
}
"""For each section of the config: the key that names a class, the possible names, and the classes."""


def config_reference() -> str:
    """Every key with its meaning, type and default."""
    sections = [("Top level", Config), ("`experiments.<name>`", Experiment)]
    for section, (key, names, class_of) in CATALOGUES.items():
        heading = f"`{section}.<name>`, {key}" if section == "datasets" else section
        sections += [(f"{heading}: {name}", class_of(name)) for name in names]
    text = Path(__file__).with_suffix(".md.j2").read_text(encoding="utf-8")
    template = Template(text, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True)
    return template.render(sections=sections, summary=_summary, rows=_rows)


def config_schema() -> str:
    """A JSON schema of the whole config, in which an entry's keys depend on the method or generator it names."""
    schema = Config.model_json_schema()
    schema["properties"][INCLUDE] = {"type": "string", "description": "config file that this one builds on"}
    definitions = schema.setdefault("$defs", {})
    for section, (key, names, class_of) in CATALOGUES.items():
        entries = []
        for name in names:
            entry = class_of(name).model_json_schema()
            definitions.update(entry.pop("$defs", {}))
            entry.setdefault("properties", {})[key] = {"const": name}
            entries.append(entry)
        schema["properties"][section]["additionalProperties"] = {"anyOf": entries}
    return json.dumps(schema, indent=2, sort_keys=True)


def _summary(model: type[BaseModel]) -> str:
    return (model.__doc__ or "").strip().split("\n\n")[0].replace("\n    ", " ")


def _rows(model: type[BaseModel], prefix: str = "") -> Iterator[tuple[str, str, str, str]]:
    """Key, meaning, type and default of every setting; nested settings have dotted keys."""
    for name, field in model.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from _rows(field.annotation, f"{prefix}{name}.")
        else:
            default = field.get_default(call_default_factory=True)
            shown = "required" if default is PydanticUndefined else f"`{json.dumps(default)}`"
            yield f"`{prefix}{name}`", field.description or "", _type_text(field), shown


def _type_text(field: FieldInfo) -> str:
    bounds = [
        f"{symbol} {getattr(part, attribute)}"
        for part in field.metadata
        for attribute, symbol in (("ge", "≥"), ("gt", ">"), ("le", "≤"), ("lt", "<"))
        if getattr(part, attribute, None) is not None
    ]
    return " ".join([_annotation_text(field.annotation), ", ".join(bounds)]).strip()


def _annotation_text(annotation: Any) -> str:
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Literal:
        return " or ".join(f"`{value}`" for value in arguments)
    if origin in (typing.Union, types.UnionType):
        return " or ".join(_annotation_text(argument) for argument in arguments)
    if origin is typing.Annotated:
        return _annotation_text(arguments[0])
    if origin is list:
        return f"list of {_annotation_text(arguments[0])}"
    if origin is dict:
        return "mapping"
    words = {int: "integer", float: "number", str: "text", bool: "true or false", type(None): "null"}
    return words.get(annotation, "any value")
