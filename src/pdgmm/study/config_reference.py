"""The config's reference, written from the classes that check it: Markdown, and a schema for editors."""

import json
import types
import typing
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from pdgmm.data import GENERATORS, generator_class
from pdgmm.evaluation.graphs import GRAPHS, graph_class
from pdgmm.methods import METHODS, method_class
from pdgmm.study.config import INCLUDE, Config, Experiment

INTRODUCTION = """\
# Config reference

Written by `make docs` from the classes that check the config: unknown keys and wrong types are errors.

A config has the top-level keys below. `snakemake --configfile FILE` replaces the default study by FILE;
several files given to one `--configfile` are merged (dictionaries key by key, anything else replaced). A number
in scientific notation needs a point (`1.0e-3`): YAML reads `1e-3` as text, and the check says so. A key that one
dictionary has twice is an error.

Changing a value re-runs what depends on it: a dataset's setting makes a new dataset under a new name, a
method's setting re-fits that method and what follows, an experiment's list adds or drops runs.

A file may build on another one: `include: experiments.yaml`, a path relative to the file that names it. What the
included file says holds where the including one says nothing else, by the same merging.

`vary: {n: [5, 10], delta: [0, 2]}` sweeps one setting at a time (here 3 datasets: base, n=5 and delta=2, if
the base is n=10, delta=0); `grid` takes every combination (4 datasets). A dotted key reaches inside:
`vary: {samples.train: [1000, 5000]}`.

A method is one name of the catalogue or a chain of them: in `autoencoder+lagrangian` the second part is fitted to the
code of the first. `identity` is the raw observation.

`vary_methods: {lagrangian.sparsity: [0.1, 0.01]}` does the same with a setting of a part of the methods: each value
is a row of the table. The value that the method has anyway shares its runs with the experiments that sweep nothing.

A second variant of a method gets a name of its own:
`methods: {lagrangian_loose: {method: lagrangian, sparsity: 0.1}}`, used as `autoencoder+lagrangian_loose`.
"""


def config_reference() -> str:
    """Every key with its meaning, type and default."""
    parts = [INTRODUCTION, _section("Top level", Config), _section("experiments.<name>", Experiment)]
    parts += [_section(f"datasets.<name>, generator: {name}", generator_class(name)) for name in GENERATORS]
    parts += [_section(f"methods: {name}", method_class(name)) for name in METHODS]
    parts += [_section(f"graphs: {name}", graph_class(name)) for name in GRAPHS]
    return "\n".join(parts)


def config_schema() -> str:
    """A JSON schema of the whole config, in which every entry lists the keys of the method it names."""
    schema = Config.model_json_schema()
    schema["properties"][INCLUDE] = {"type": "string", "description": "config file that this one builds on"}
    definitions = schema.setdefault("$defs", {})
    generators = {name: generator_class(name) for name in GENERATORS}
    named = {
        "datasets": ("generator", generators),
        "methods": ("method", {name: method_class(name) for name in METHODS}),
        "graphs": ("method", {name: graph_class(name) for name in GRAPHS}),
    }
    for section, (selector, classes) in named.items():
        entries = [_entry_schema(selector, name, kind, definitions) for name, kind in classes.items()]
        schema["properties"][section]["additionalProperties"] = {"anyOf": entries}
    return json.dumps(schema, indent=2, sort_keys=True)


def _entry_schema(
    selector: str, name: str, kind: type[BaseModel], definitions: dict[str, Any]
) -> dict[str, Any]:
    entry = kind.model_json_schema()
    definitions.update(entry.pop("$defs", {}))
    entry.setdefault("properties", {})[selector] = {"const": name}
    return entry


def _section(title: str, model: type[BaseModel]) -> str:
    summary = (model.__doc__ or "").strip().split("\n\n")[0].replace("\n    ", " ")
    lines = [f"## {title}", "", summary, ""]
    rows = list(_rows(model))
    if not rows:
        return "\n".join([*lines, "No settings.", ""])
    lines += ["| key | meaning | type | default |", "|---|---|---|---|"]
    return "\n".join([*lines, *rows, ""])


def _rows(model: type[BaseModel], prefix: str = "") -> Iterator[str]:
    for name, field in model.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from _rows(field.annotation, f"{prefix}{name}.")
            continue
        cells = [f"`{prefix}{name}`", field.description or "", _type_text(field), _default_text(field)]
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _default_text(field: FieldInfo) -> str:
    default = field.get_default(call_default_factory=True)
    return "needed" if default is PydanticUndefined else f"`{json.dumps(default)}`"


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
