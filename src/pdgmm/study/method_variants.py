"""Methods with settings of their stages swept: what ``vary_methods`` of an experiment means."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from pdgmm.methods.base import Stage
from pdgmm.settings import canonical_json
from pdgmm.study.config_errors import explain_validation

SECTIONS = ("stage1", "stage2")


@dataclass(frozen=True)
class NamedStage:
    """A stage under the name that stands in paths; ``method`` is the catalogue's name for it."""

    name: str
    method: str
    settings: Stage


@dataclass(frozen=True)
class MethodVariant:
    """A method as it is run."""

    name: str
    """``<stage1>+<stage2>`` by the names that stand in paths: ``autoencoder+lagrangian_sparsity0.1``."""
    shown: str
    """The method as the config names it: ``autoencoder+lagrangian``."""
    setting: Mapping[str, Any] = field(default_factory=dict)
    """The swept settings by their keys in ``vary_methods``: ``{"stage2.sparsity": 0.1}``."""


def method_variants(
    methods: Sequence[str],
    vary: Mapping[str, Sequence[Any]],
    stages: Mapping[str, dict[str, NamedStage]],
    where: str,
    problems: list[str],
) -> tuple[MethodVariant, ...]:
    """Every method with every value of every swept setting, one setting at a time, each variant once.

    ``stages`` holds the named stages under ``stage1`` and ``stage2``; the ones that the sweep makes are added to
    them. A value that the stage has anyway gives the stage itself, so that its runs are shared. What is wrong is
    added to ``problems``, a line each.
    """
    where = f"{where}.vary_methods"
    keys = [key for key in vary if _names_a_setting(key, where, problems)]
    variants: dict[str, MethodVariant] = {}
    for method in methods:
        names = dict(zip(SECTIONS, method.split("+"), strict=True))
        chosen = {section: stages[section][name] for section, name in names.items()}
        points = (
            [chosen]
            if not vary
            else _varied(method, chosen, {key: vary[key] for key in keys}, where, problems)
        )
        for point in points:
            for section, stage in point.items():
                if stages[section].setdefault(stage.name, stage) != stage:
                    problems.append(
                        f"{where}: {stage.name} also names another entry of {section}, rename that one"
                    )
            name = "+".join(point[section].name for section in SECTIONS)
            variants[name] = MethodVariant(name, method, {key: _value(point, key) for key in keys})
    return tuple(variants.values())


def _names_a_setting(key: str, where: str, problems: list[str]) -> bool:
    section, setting = _parts(key)
    if section in SECTIONS and setting:
        return True
    problems.append(
        f"{where}: {key!r} names no setting of a stage, write stage1.<setting> or stage2.<setting>"
    )
    return False


def _varied(
    method: str,
    chosen: Mapping[str, NamedStage],
    vary: Mapping[str, Sequence[Any]],
    where: str,
    problems: list[str],
) -> list[dict[str, NamedStage]]:
    """The two stages of a method for every value of every key."""
    points = []
    for key, values in vary.items():
        section, setting = _parts(key)
        known = type(chosen[section].settings).model_fields
        if setting not in known:
            problems.append(
                f"{where}.{key}: {method} has no setting {setting!r} in its {section}; give it an experiment "
                f"without this sweep, or sweep one of its settings: {', '.join(known) or 'it has none'}"
            )
            return []
        for value in values:
            stage = _derived(chosen[section], setting, value, f"{where}.{key}", problems)
            points += [{**chosen, section: stage}] if stage is not None else []
    return points


def _parts(key: str) -> tuple[str, str]:
    section, _, setting = key.partition(".")
    return section, setting


def _value(stages: Mapping[str, NamedStage], key: str) -> Any:
    section, setting = _parts(key)
    return getattr(stages[section].settings, setting)


def _derived(
    base: NamedStage, setting: str, value: Any, where: str, problems: list[str]
) -> NamedStage | None:
    """``base`` with one setting changed, under a name that says so; ``base`` itself where nothing changes."""
    kind = type(base.settings)
    try:
        settings = kind.model_validate({**base.settings.model_dump(), setting: value})
    except ValidationError as error:
        problems.extend(explain_validation(error, where, kind))
        return None
    if settings.canonical() == base.settings.canonical():
        return base
    # As it is checked, so that 1 and 1.0 are one name; without brackets, quotes and spaces.
    text = canonical_json(getattr(settings, setting))
    readable = re.sub(r"[^A-Za-z0-9.-]+", "_", text).strip("_")
    return NamedStage(f"{base.name}_{setting}{readable}", base.method, settings)
