"""From a config to a study: every value checked, every experiment expanded into runs that have names."""

import copy
import itertools
import re
from collections.abc import Callable, Mapping, Set
from typing import Any, TypeVar

from pydantic import ValidationError

from pdgmm.catalogue import unknown_name
from pdgmm.data import GENERATORS, generator_class
from pdgmm.errors import UserError
from pdgmm.evaluation.graphs import GRAPHS, graph_class
from pdgmm.methods import METHODS, method_class
from pdgmm.report.comparison import PublishedTable
from pdgmm.settings import Settings
from pdgmm.study.chains import Chain, Named, NamedMethod, parsed_chain, swept_chains
from pdgmm.study.config import Config, Experiment
from pdgmm.study.config_errors import explain_validation
from pdgmm.study.dataset_names import dataset_name
from pdgmm.study.study import SUMMARY, Dataset, PlannedExperiment, Study

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,79}")
"""Names that a config may give: letters, digits and underscores, a letter first. They are used in paths."""

OWN_FILE = "file"
"""The generator that reads a user's own file, and the setting that names it."""

OWN_FILE_SEEDS = [0, 1, 2]
"""The seeds of a user's own file that names none: fits must be compared, and there is no truth to draw again."""

S = TypeVar("S", bound=Settings)


def plan_study(raw: Mapping[str, Any]) -> Study:
    """Check a config and expand it. All that is wrong comes in one :class:`UserError`, a line each."""
    try:
        config = Config.model_validate(dict(raw))
    except ValidationError as error:
        raise UserError(_heading(explain_validation(error, "", Config))) from None
    problems: list[str] = [
        f"experiments.{name}: this name is taken by the summary of all experiments, choose another"
        for name in config.experiments
        if name == SUMMARY
    ]
    problems += [
        f"{section}.{name}: a name has up to 80 letters, digits and underscores, and begins with a letter"
        for section in ("datasets", "methods", "graphs", "experiments")
        for name in getattr(config, section)
        if not NAME.fullmatch(name)
    ]
    methods = _named(config.methods, METHODS, method_class, "methods", problems)
    graphs = _named(config.graphs, GRAPHS, graph_class, "graphs", problems)
    # The published graphs are held against those of the name `pc`.
    problems += [
        f"graphs.{graph.name}.method: {graph.method!r} under the name of another method, give it a name of its own"
        for graph in graphs.values()
        if graph.name in GRAPHS and graph.name != graph.method
    ]
    bases = {name: _base_dataset(name, entry, problems) for name, entry in config.datasets.items()}
    experiments = {}
    for name, experiment in config.experiments.items():
        where = f"experiments.{name}"
        base = _start(name, experiment, bases, f"{where}.dataset", problems)
        experiment = _with_defaults(name, experiment, config, f"{where}.seeds", problems)
        problems += [
            f"{where}.{sweep}.{key}: an empty list, name at least one value"
            for sweep in ("vary", "grid", "vary_methods")
            for key, values in getattr(experiment, sweep).items()
            if not values
        ]
        if experiment.published_table is not None:
            _check_published(experiment.published_table, where, problems)
        chains = _chains(experiment, config, methods, where, problems)
        _check_graphs(experiment.graphs, GRAPHS.keys() | config.graphs, f"{where}.graphs", problems)
        if base is not None:
            datasets = _expand(experiment, base, where, problems)
            if experiment.graphs and not base.settings.graph:
                problems.append(
                    f"{where}.graphs: the data of {base.generator!r} have no true graph to compare with"
                )
            _check_needs(base, chains, f"{where}.methods", problems)
            experiments[name] = PlannedExperiment(name, experiment, datasets, chains)
    if problems:
        raise UserError(_heading(problems))
    datasets = {d.name: d for planned in experiments.values() for d in planned.datasets}
    return Study(config, datasets, methods, graphs, experiments)


def _heading(problems: list[str]) -> str:
    return "the config is not valid:\n" + "\n".join(f"  - {problem}" for problem in problems)


def _named(
    entries: dict[str, dict[str, Any]],
    catalogue: dict[str, str],
    class_of: Callable[[str], type[S]],
    section: str,
    problems: list[str],
) -> dict[str, Named[S]]:
    """A section's entries, and every catalogued method under its own name."""
    found = {}
    for name, entry in ({method: {} for method in catalogue} | entries).items():
        settings = dict(entry)
        method = settings.pop("method", name)
        where = f"{section}.{name}"
        if not isinstance(method, str) or method not in catalogue:
            hint = f"{where}.method" if "method" in entry else where
            problems.append(unknown_name(hint, method, catalogue))
            continue
        checked = _checked(class_of(method), settings, where, problems)
        if checked is not None:
            found[name] = Named(name, method, checked)
    return found


def _base_dataset(
    name: str, entry: dict[str, Any], problems: list[str], where: str | None = None
) -> Dataset | None:
    where = where or f"datasets.{name}"
    settings = dict(entry)
    generator = settings.pop("generator", OWN_FILE if OWN_FILE in settings else name)
    if not isinstance(generator, str) or generator not in GENERATORS:
        problems.append(unknown_name(f"{where}.generator", generator, GENERATORS))
        return None
    checked = _checked(generator_class(generator), settings, where, problems)
    return None if checked is None else Dataset(name, generator, checked)


def _start(
    name: str, experiment: Experiment, bases: Mapping[str, Dataset | None], where: str, problems: list[str]
) -> Dataset | None:
    """The dataset that an experiment starts from; None where it is unknown or wrong."""
    if isinstance(experiment.dataset, dict):
        return _base_dataset(name, experiment.dataset, problems, where)
    if experiment.dataset not in bases:
        problems.append(unknown_name(where, experiment.dataset, bases))
        return None
    return bases[experiment.dataset]


def _checked(kind: type[S], values: dict[str, Any], where: str, problems: list[str]) -> S | None:
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        problems.extend(explain_validation(error, where, kind))
        return None


def _chains(
    experiment: Experiment,
    config: Config,
    methods: dict[str, NamedMethod],
    where: str,
    problems: list[str],
) -> tuple[Chain, ...]:
    # By name only: a method whose settings are wrong has its own line already.
    known = METHODS | config.methods
    parsed = {text: parsed_chain(text, known, f"{where}.methods", problems) for text in experiment.methods}
    usable = {
        text: names for text, names in parsed.items() if names and all(name in methods for name in names)
    }
    return swept_chains(usable, experiment.vary_methods, methods, where, problems)


def _check_needs(dataset: Dataset, chains: tuple[Chain, ...], where: str, problems: list[str]) -> None:
    """What methods need besides observations must be in the data: side variables, truth, images."""
    data = f"the dataset {dataset.name!r} (generator {dataset.generator!r})"
    for chain in chains:
        for place, part in enumerate(chain.parts):
            method = part.settings
            for name in method.sees:
                if name not in dataset.settings.side():
                    problems.append(f"{where}: {part.name} needs the side variable {name!r}, {data} has none")
            for name in method.told:
                if name not in dataset.settings.truth():
                    problems.append(f"{where}: {part.name} must be told the true {name!r}, {data} has none")
            if method.reads_images and (place or not dataset.settings.images):
                problems.append(
                    f"{where}: {part.name} reads images, "
                    + (f"and can only be the first part of {chain.shown}" if place else f"{data} has none")
                )


def _check_published(table: str, where: str, problems: list[str]) -> None:
    try:
        PublishedTable(table)
    except UserError as error:
        problems.append(f"{where}.published_table: {str(error).removeprefix('published_table: ')}")


def _check_graphs(names: list[str], known: Set[str], where: str, problems: list[str]) -> None:
    problems.extend(unknown_name(where, name, known) for name in names if name not in known)
    if len(set(names)) < len(names):
        problems.append(f"{where}: {names} names a method twice")


def _with_defaults(
    name: str, experiment: Experiment, config: Config, where: str, problems: list[str]
) -> Experiment:
    """The experiment with its heading, and the seeds it runs with: its own or those of the whole study."""
    seeds = config.seeds if experiment.seeds is None else experiment.seeds
    if not seeds and _is_own_file(experiment, config):
        seeds = OWN_FILE_SEEDS
    if not seeds:
        problems.append(f"{where}: needed, here or as `seeds` at the top level of the config")
    problems.extend(f"{where}: {seed} is negative, a seed is 0 or more" for seed in seeds if seed < 0)
    if len(set(seeds)) < len(seeds):
        problems.append(f"{where}: {seeds} names a seed twice")
    title = name if experiment.title is None else experiment.title
    return experiment.model_copy(update={"title": title, "seeds": seeds})


def _is_own_file(experiment: Experiment, config: Config) -> bool:
    """Whether the dataset is a user's own file, be the rest of its entry right or wrong."""
    entry = experiment.dataset
    entry = config.datasets.get(entry, {}) if isinstance(entry, str) else entry
    return OWN_FILE in entry


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
        if unreached := [key for key, value in changes.items() if not _assign(values, key, value)]:
            problems.append(f"{where}: {unreached[0]} reaches into a setting that holds no others")
            continue
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


def _assign(values: dict[str, Any], dotted: str, value: Any) -> bool:
    """Set ``samples.train`` inside nested values, if every key before the last holds others; say whether it did.

    ``{train: 5}`` for ``samples`` leaves its other counts as they are. An unknown key is left for the schema to
    reject.
    """
    *path, last = dotted.split(".")
    for key in path:
        values = values.setdefault(key, {})
        if not isinstance(values, dict):
            return False
    inside = values.get(last)
    if isinstance(inside, dict) and isinstance(value, dict):
        return all(_assign(inside, key, part) for key, part in value.items())
    # A copy: another variation may change what is inside.
    values[last] = copy.deepcopy(value)
    return True
