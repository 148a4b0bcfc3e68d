"""Chains of methods: how a config names them, their parts, and their swept settings (``vary_methods``)."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic

from pdgmm.catalogue import JOINT
from pdgmm.methods.base import Method
from pdgmm.settings import canonical_json
from pdgmm.study.config_errors import S, validated


@dataclass(frozen=True)
class Named(Generic[S]):
    """A method with its settings. ``name`` is used in paths, ``method`` is its name in the catalogue."""

    name: str
    method: str
    settings: S


NamedMethod = Named[Method]


@dataclass(frozen=True)
class Chain:
    """Methods, each fitted to the code of the one before it."""

    parts: tuple[NamedMethod, ...]
    shown: str
    """The chain as the config writes it: ``autoencoder+lagrangian``."""
    setting: Mapping[str, Any] = field(default_factory=dict)
    """The swept settings by their keys in ``vary_methods``: ``{"lagrangian.sparsity": 0.1}``."""

    @property
    def name(self) -> str:
        """The names of the parts as they are used in paths: ``autoencoder+lagrangian_sparsity0.1``."""
        return JOINT.join(part.name for part in self.parts)

    @property
    def kind(self) -> str:
        """The names of the parts in the catalogue."""
        return JOINT.join(part.method for part in self.parts)

    @property
    def size(self) -> str:
        """How long and how large the fits are, as text."""
        return "; ".join(filter(None, self.sizes))

    @property
    def sizes(self) -> list[str]:
        """The size of every part as text; ``""`` for a part whose size cannot be set."""
        return [part.settings.size() for part in self.parts]

    @property
    def reduced(self) -> str:
        """What is smaller than in the paper, as text; ``""`` if nothing is."""
        sizes = [part.settings.reduced() for part in self.parts]
        return "; ".join(
            f"{name}: {size}" for name, size in zip(self.shown.split(JOINT), sizes, strict=True) if size
        )

    @property
    def role(self) -> str:
        """``ours`` if a part is one of this project's own methods, else ``baseline``."""
        return "ours" if any(part.settings.ours for part in self.parts) else "baseline"

    @property
    def told(self) -> list[str]:
        """The truth that its parts are told, by name."""
        return list(dict.fromkeys(name for part in self.parts for name in part.settings.told))

    @property
    def reader(self) -> NamedMethod | None:
        """Its first part if that reads images, else None."""
        return self.parts[0] if self.parts[0].settings.reads_images else None


def swept_chains(
    chains: Mapping[str, Sequence[str]],
    vary: Mapping[str, Sequence[Any]],
    methods: dict[str, NamedMethod],
    where: str,
    problems: list[str],
) -> tuple[Chain, ...]:
    """Every chain with every value of every swept setting, one setting at a time, each variant once.

    ``chains`` maps each chain as the config writes it to the names of its parts. ``methods`` are the named methods;
    the variants that the sweep makes are added to them. A value that the method already has gives the method itself,
    so that its runs are shared. Every problem is added to ``problems`` as one line.
    """
    where = f"{where}.vary_methods"
    found: dict[str, Chain] = {}
    for shown, names in chains.items():
        parts = [methods[name] for name in names]
        points = _varied(shown, parts, vary, where, problems) if vary else [parts]
        for point in points:
            for part in point:
                if methods.setdefault(part.name, part) != part:
                    problems.append(
                        f"{where}: the sweep makes a method {part.name}, but `methods` already has an entry of that "
                        "name; rename the entry"
                    )
            setting = {}
            for key in vary:
                name, _, field_name = key.partition(".")
                setting[key] = getattr(point[names.index(name)].settings, field_name)
            chain = Chain(tuple(point), shown, setting)
            found[chain.name] = chain
    return tuple(found.values())


def _varied(
    shown: str,
    parts: Sequence[NamedMethod],
    vary: Mapping[str, Sequence[Any]],
    where: str,
    problems: list[str],
) -> list[list[NamedMethod]]:
    """The parts of a chain for every value of every key."""
    points = []
    for key, values in vary.items():
        name, _, setting = key.partition(".")
        place = next((place for place, part in enumerate(parts) if part.name == name), None)
        known = {} if place is None else type(parts[place].settings).model_fields
        if place is None or setting not in known:
            names = ", ".join(f"{name}.{known}" for known in known) or ", ".join(f"{p.name}.…" for p in parts)
            problems.append(
                f"{where}.{key}: {shown} has no such setting; move {shown} to an experiment without this sweep, or "
                f"sweep one of its settings: {names}"
            )
            return []
        for value in values:
            part = _derived(parts[place], setting, value, f"{where}.{key}", problems)
            if part is not None:
                points.append([*parts[:place], part, *parts[place + 1 :]])
    return points


def _derived(
    base: NamedMethod, setting: str, value: Any, where: str, problems: list[str]
) -> NamedMethod | None:
    """``base`` with one setting changed, under a name that says so; ``base`` itself if nothing changes."""
    settings = validated(type(base.settings), {**base.settings.model_dump(), setting: value}, where, problems)
    if settings is None:
        return None
    if settings.canonical() == base.settings.canonical():
        return base
    # The checked value, so that 1 and 1.0 give one name; without brackets, quotes and spaces.
    text = canonical_json(getattr(settings, setting))
    readable = re.sub(r"[^A-Za-z0-9.-]+", "_", text).strip("_")
    return NamedMethod(f"{base.name}_{setting}{readable}", base.method, settings)
