"""A study: a checked config with every experiment expanded into runs that have names.

This module imports no torch: the workflow is planned with it.
"""

import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import ValidationError

from pdgmm.config import Config, Experiment
from pdgmm.config_errors import explain_validation, unknown_name
from pdgmm.data import GENERATORS, generator_class
from pdgmm.data.base import Generator
from pdgmm.dataset_names import dataset_name
from pdgmm.errors import UserError
from pdgmm.settings import Settings, canonical_json
from pdgmm.stages import STAGE1, STAGE2, stage_class
from pdgmm.stages.base import Stage

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
"""Names that may stand in a path: letters, digits and underscores, a letter first."""

S = TypeVar("S", bound=Settings)

METHOD = re.compile(r"(?P<stage1>[^+]+)\+(?P<stage2>[^+]+)")


@dataclass(frozen=True)
class Dataset:
    """A fully specified dataset. ``name`` is its folder: what it is, then the hash of all its settings."""

    name: str
    generator: str
    settings: Generator


@dataclass(frozen=True)
class NamedStage:
    """A stage under the name that stands in paths; ``method`` is the catalogue's name for it."""

    name: str
    method: str
    settings: Stage


@dataclass(frozen=True)
class PlannedExperiment:
    """An experiment with its datasets and methods resolved."""

    name: str
    settings: Experiment
    datasets: tuple[Dataset, ...]

    def runs(self) -> Iterator[tuple[str, int, str]]:
        """Every (dataset, seed, method) of the experiment."""
        names = [dataset.name for dataset in self.datasets]
        return itertools.product(names, self.settings.seeds, self.settings.methods)


@dataclass(frozen=True)
class Study:
    """A checked config with everything it means."""

    config: Config
    datasets: dict[str, Dataset]
    stage1: dict[str, NamedStage]
    stage2: dict[str, NamedStage]
    experiments: dict[str, PlannedExperiment]

    def gpus(self, stage: NamedStage) -> int:
        """How many GPUs a fit of the stage asks for: none where it cannot use one."""
        return self.config.gpus_per_training if stage.settings.uses_torch else 0

    def label(self, stage1: str, stage2: str) -> str:
        """What stands beside a method's scores, as JSON: its name, and how long and how large its fits are."""
        sizes = [self.stage1[stage1].settings.size(), self.stage2[stage2].settings.size()]
        return canonical_json({"method": f"{stage1}+{stage2}", "size": "; ".join(filter(None, sizes))})

    def kind(self, method: str) -> str:
        """The method by the catalogue's names, where the config gave its stages names of their own."""
        stage1, stage2 = split_method(method)
        return f"{self.stage1[stage1].method}+{self.stage2[stage2].method}"

    def table_request(self, experiment: str) -> str:
        """What an experiment's table is about, as JSON: its title and the names of its runs."""
        planned = self.experiments[experiment]
        settings = planned.settings
        return canonical_json(
            {
                "name": experiment,
                "title": settings.title,
                "published_table": settings.published_table,
                "varied": [*settings.grid, *settings.vary],
                "datasets": [dataset.name for dataset in planned.datasets],
                "methods": settings.methods,
                "kinds": {method: self.kind(method) for method in settings.methods},
                "seeds": settings.seeds,
            }
        )

    def runs(self) -> list[tuple[str, int, str]]:
        """Every (dataset, seed, method) of the study once, however many experiments share it."""
        return list(
            dict.fromkeys(run for experiment in self.experiments.values() for run in experiment.runs())
        )


def plan_study(raw: Mapping[str, Any]) -> Study:
    """Check a config and expand it. All that is wrong comes in one :class:`UserError`, a line each."""
    try:
        config = Config.model_validate(dict(raw))
    except ValidationError as error:
        raise UserError(_heading(explain_validation(error, "", Config))) from None
    problems: list[str] = [
        f"{section}.{name}: a name has letters, digits and underscores, and begins with a letter"
        for section in ("datasets", "stage1", "stage2", "experiments")
        for name in getattr(config, section)
        if not NAME.fullmatch(name)
    ]
    stage1 = _named_stages(config.stage1, STAGE1, "stage1", problems)
    stage2 = _named_stages(config.stage2, STAGE2, "stage2", problems)
    bases = {name: _base_dataset(name, entry, problems) for name, entry in config.datasets.items()}
    experiments = {}
    for name, experiment in config.experiments.items():
        where = f"experiments.{name}"
        _check_methods(experiment.methods, config, f"{where}.methods", problems)
        _check_seeds(experiment.seeds, f"{where}.seeds", problems)
        if experiment.dataset not in bases:
            problems.append(unknown_name(f"{where}.dataset", experiment.dataset, bases))
        elif (base := bases[experiment.dataset]) is not None:
            datasets = _expand(experiment, base, where, problems)
            experiments[name] = PlannedExperiment(name, experiment, datasets)
    if problems:
        raise UserError(_heading(problems))
    datasets = {d.name: d for planned in experiments.values() for d in planned.datasets}
    return Study(config, datasets, stage1, stage2, experiments)


def split_method(method: str) -> tuple[str, str]:
    """``"autoencoder+lagrangian"`` as ``("autoencoder", "lagrangian")``."""
    parts = METHOD.fullmatch(method)
    if parts is None:
        raise UserError(f"{method!r} is no method: write <stage1>+<stage2>, for example identity+fastica")
    return parts["stage1"], parts["stage2"]


def _heading(problems: list[str]) -> str:
    return "the config is not valid:\n" + "\n".join(f"  - {problem}" for problem in problems)


def _named_stages(
    entries: dict[str, dict[str, Any]], catalogue: dict[str, str], section: str, problems: list[str]
) -> dict[str, NamedStage]:
    """The stages of a section, and every method of the catalogue under its own name with its defaults."""
    stages = {}
    for name, entry in ({method: {} for method in catalogue} | entries).items():
        settings = dict(entry)
        method = settings.pop("method", name)
        where = f"{section}.{name}"
        if not isinstance(method, str) or method not in catalogue:
            hint = f"{where}.method" if "method" in entry else where
            problems.append(unknown_name(hint, method, catalogue))
            continue
        checked = _checked(stage_class(catalogue, method), settings, where, problems)
        if checked is not None:
            stages[name] = NamedStage(name, method, checked)
    return stages


def _base_dataset(name: str, entry: dict[str, Any], problems: list[str]) -> Dataset | None:
    settings = dict(entry)
    generator = settings.pop("generator", name)
    if not isinstance(generator, str) or generator not in GENERATORS:
        problems.append(unknown_name(f"datasets.{name}.generator", generator, GENERATORS))
        return None
    checked = _checked(generator_class(generator), settings, f"datasets.{name}", problems)
    return None if checked is None else Dataset(name, generator, checked)


def _checked(kind: type[S], values: dict[str, Any], where: str, problems: list[str]) -> S | None:
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        problems.extend(explain_validation(error, where, kind))
        return None


def _check_methods(methods: list[str], config: Config, where: str, problems: list[str]) -> None:
    # By name only: a stage whose settings are wrong has its own line already.
    known = {"stage1": STAGE1.keys() | config.stage1, "stage2": STAGE2.keys() | config.stage2}
    for method in methods:
        parts = METHOD.fullmatch(method)
        if parts is None:
            problems.append(f"{where}: {method!r} is no method, write <stage1>+<stage2>")
            continue
        for stage, names in known.items():
            if parts[stage] not in names:
                problems.append(unknown_name(f"{where} ({method}, {stage})", parts[stage], names))


def _check_seeds(seeds: list[int], where: str, problems: list[str]) -> None:
    problems.extend(f"{where}: {seed} is negative, a seed is 0 or more" for seed in seeds if seed < 0)
    if len(set(seeds)) < len(seeds):
        problems.append(f"{where}: {seeds} names a seed twice")


def _expand(experiment: Experiment, base: Dataset, where: str, problems: list[str]) -> tuple[Dataset, ...]:
    """The experiment's datasets in the order of the config, each once."""
    variations = [{}] if not experiment.vary else []
    variations += [{key: value} for key, values in experiment.vary.items() for value in values]
    combinations = [
        dict(zip(experiment.grid, point, strict=True))
        for point in itertools.product(*experiment.grid.values())
    ]
    for key in set(experiment.vary) & set(experiment.grid):
        problems.append(f"{where}: {key} stands under vary and under grid, keep one")
    datasets: dict[str, Dataset] = {}
    for combination, variation in itertools.product(combinations, variations):
        changes = {**experiment.set, **combination, **variation}
        values = base.settings.model_dump()
        for key, value in changes.items():
            _assign(values, key, value)
        before = len(problems)
        settings = _checked(type(base.settings), values, where, problems)
        if settings is not None:
            dataset = Dataset(
                dataset_name(base.name, base.generator, base.settings, settings), base.generator, settings
            )
            datasets[dataset.name] = dataset
        elif len(problems) > before:
            problems[before:] = [f"{line} (reached by {changes})" for line in problems[before:]]
    return tuple(datasets.values())


def _assign(values: dict[str, Any], dotted: str, value: Any) -> None:
    """Set ``samples.train`` inside nested values; an unknown key is left for the schema to reject."""
    *path, last = dotted.split(".")
    for key in path:
        values = values.setdefault(key, {})
        if not isinstance(values, dict):
            return
    values[last] = value
