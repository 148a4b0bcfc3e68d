"""From a config to a study: every value is checked, and every experiment is expanded into named runs."""

import copy
import itertools
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pdgmm.catalogue import unknown_name
from pdgmm.data import GENERATORS, generator_class
from pdgmm.data.shared_draws import same_for_every_seed
from pdgmm.errors import UserError
from pdgmm.evaluation.graphs import GRAPHS, graph_class
from pdgmm.methods import METHODS, method_class
from pdgmm.methods.chain_names import lacks, parsed_chain
from pdgmm.report.comparison import PublishedTable
from pdgmm.study.chains import Chain, Named, NamedMethod, swept_chains
from pdgmm.study.config import Config, Experiment
from pdgmm.study.config_errors import S, validated
from pdgmm.study.curve_checks import curve_problems
from pdgmm.study.study import SUMMARY, Dataset, PlannedExperiment, Study

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,79}")
"""What a name in a config may look like: letters, digits and underscores, a letter first. Names are used in paths."""

OWN_FILE = "file"
"""The generator that reads a user's own file, and the setting that names it."""

OWN_FILE_SEEDS = [0, 1, 2]
"""The default seeds for a user's own file: without truth, the fits of several seeds are compared with each other."""


def plan_study(raw: Mapping[str, Any]) -> Study:
    """Check a config and expand it. All problems are reported in one :class:`UserError`, one per line."""
    problems: list[str] = []
    config = validated(Config, dict(raw), "", problems)
    study = None if config is None else _Planner(config, problems).study()
    if study is None or problems:
        raise UserError("the config is not valid:\n" + "\n".join(f"  - {problem}" for problem in problems))
    return study


@dataclass(frozen=True)
class _Planner:
    """Expands a config; every problem is added to ``problems`` as one line."""

    config: Config
    problems: list[str]

    def study(self) -> Study:
        config = self.config
        if SUMMARY in config.experiments:
            self.problems.append(
                f"experiments.{SUMMARY}: this name is taken by the summary of all experiments, choose another"
            )
        self.problems.extend(
            f"{section}.{name}: a name has up to 80 letters, digits and underscores, and begins with a letter"
            for section in ("datasets", "methods", "graphs", "experiments")
            for name in getattr(config, section)
            if not NAME.fullmatch(name)
        )
        methods = self.named("methods", METHODS, method_class)
        graphs = self.named("graphs", GRAPHS, graph_class)
        # Published graphs are compared with ours by the name `pc`, so that name must mean PC.
        self.problems.extend(
            f"graphs.{name}.method: is {graph.method!r}, but {name!r} is the name of another method; rename the entry"
            for name, graph in graphs.items()
            if name in GRAPHS and name != graph.method
        )
        bases = {
            name: self.dataset(name, entry, f"datasets.{name}") for name, entry in config.datasets.items()
        }
        planned = [self.experiment(name, bases, methods) for name in config.experiments]
        experiments = {one.name: one for one in planned if one is not None}
        datasets = {dataset.name: dataset for one in experiments.values() for dataset in one.datasets}
        return Study(config, datasets, methods, graphs, experiments)

    def named(
        self, section: str, catalogue: dict[str, str], class_of: Callable[[str], type[S]]
    ) -> dict[str, Named[S]]:
        """The entries of a section, and every method of the catalogue under its own name."""
        found = {}
        for name, entry in ({method: {} for method in catalogue} | getattr(self.config, section)).items():
            settings = dict(entry)
            method = settings.pop("method", name)
            where = f"{section}.{name}"
            if not isinstance(method, str) or method not in catalogue:
                hint = f"{where}.method" if "method" in entry else where
                self.problems.append(unknown_name(hint, method, catalogue))
            elif (checked := validated(class_of(method), settings, where, self.problems)) is not None:
                found[name] = Named(name, method, checked)
        return found

    def dataset(self, name: str, entry: dict[str, Any], where: str) -> Dataset | None:
        """The dataset that an entry of the config describes; None if the entry is wrong."""
        settings = dict(entry)
        generator = settings.pop("generator", OWN_FILE if OWN_FILE in settings else name)
        if not isinstance(generator, str) or generator not in GENERATORS:
            self.problems.append(unknown_name(f"{where}.generator", generator, GENERATORS))
            return None
        checked = validated(generator_class(generator), settings, where, self.problems)
        return None if checked is None else Dataset(name, generator, checked)

    def experiment(
        self, name: str, bases: Mapping[str, Dataset | None], methods: dict[str, NamedMethod]
    ) -> PlannedExperiment | None:
        """An experiment with its datasets and chains; None if the dataset it starts from is wrong."""
        experiment, where = self.config.experiments[name], f"experiments.{name}"
        if isinstance(experiment.dataset, dict):
            base = self.dataset(name, experiment.dataset, f"{where}.dataset")
        else:
            base = bases.get(experiment.dataset)
            if experiment.dataset not in bases:
                self.problems.append(unknown_name(f"{where}.dataset", experiment.dataset, bases))
        experiment = self.with_defaults(name, experiment, f"{where}.seeds")
        self.problems.extend(
            f"{where}.{sweep}.{key}: the list is empty, give at least one value"
            for sweep in ("vary", "grid", "vary_methods")
            for key, values in getattr(experiment, sweep).items()
            if not values
        )
        if experiment.published_table is not None:
            try:
                PublishedTable(experiment.published_table)
            except UserError as error:
                reason = str(error).removeprefix("published_table: ")
                self.problems.append(f"{where}.published_table: {reason}")
        chains = self.chains(experiment, methods, where)
        known = GRAPHS.keys() | self.config.graphs
        self.problems.extend(
            unknown_name(f"{where}.graphs", graph, known) for graph in experiment.graphs if graph not in known
        )
        if len(set(experiment.graphs)) < len(experiment.graphs):
            self.problems.append(f"{where}.graphs: {experiment.graphs} names a method twice")
        self.problems.extend(f"{where}.curves: {problem}" for problem in curve_problems(experiment))
        if base is None:
            return None
        datasets = self.expanded(experiment, base, where)
        if experiment.graphs and not base.settings.graph:
            self.problems.append(
                f"{where}.graphs: the data of {base.generator!r} have no true graph to compare with"
            )
        if experiment.traversals and not base.settings.pictures:
            self.problems.append(
                f"{where}.traversals: the data of {base.generator!r} are not small images; take it out, or use "
                "written_digits or sprites"
            )
        if experiment.mixture_images and not base.settings.pictures:
            self.problems.append(
                f"{where}.mixture_images: the data of {base.generator!r} are not small images; take it out, or use "
                "written_digits or sprites"
            )
        names = [chain.name for chain in chains]
        self.problems.extend(
            unknown_name(f"{where}.mixture_images", name, names)
            for name in experiment.mixture_images
            if name not in names
        )
        self.problems.extend(
            f"{where}.between_fits: every seed of {dataset.name!r} draws its own held-out samples, so fits cannot be "
            "compared; set `draw` in the dataset, or put it inside the generator `repeated`"
            for dataset in datasets
            if experiment.between_fits and not same_for_every_seed(dataset.settings)
        )
        self.check_needs(base, chains, f"{where}.methods")
        return PlannedExperiment(name, experiment, datasets, chains)

    def with_defaults(self, name: str, experiment: Experiment, where: str) -> Experiment:
        """The experiment with its title and its seeds filled in: its own seeds or those of the whole study."""
        entry = experiment.dataset
        entry = self.config.datasets.get(entry, {}) if isinstance(entry, str) else entry
        seeds = self.config.seeds if experiment.seeds is None else experiment.seeds
        seeds = seeds or (OWN_FILE_SEEDS if OWN_FILE in entry else [])
        if not seeds:
            self.problems.append(
                f"{where}: seeds are missing; give them here or at the top level of the config"
            )
        self.problems.extend(
            f"{where}: {seed} is negative, a seed is 0 or more" for seed in seeds if seed < 0
        )
        if len(set(seeds)) < len(seeds):
            self.problems.append(f"{where}: {seeds} names a seed twice")
        title = name if experiment.title is None else experiment.title
        return experiment.model_copy(update={"title": title, "seeds": seeds})

    def chains(
        self, experiment: Experiment, methods: dict[str, NamedMethod], where: str
    ) -> tuple[Chain, ...]:
        """The valid chains of an experiment; swept methods are added to ``methods``."""
        # Only names are checked here: wrong settings of a method already have their own line.
        known = METHODS | self.config.methods
        parsed = {
            text: parsed_chain(text, known, f"{where}.methods", self.problems) for text in experiment.methods
        }
        usable = {text: names for text, names in parsed.items() if names and set(names) <= methods.keys()}
        return swept_chains(usable, experiment.vary_methods, methods, where, self.problems)

    def expanded(self, experiment: Experiment, base: Dataset, where: str) -> tuple[Dataset, ...]:
        """The experiment's datasets in the order of the config, each once."""
        variations: list[dict[str, Any]] = [] if experiment.vary else [{}]
        variations += [{key: value} for key, values in experiment.vary.items() for value in values]
        combinations = [
            dict(zip(experiment.grid, point, strict=True))
            for point in itertools.product(*experiment.grid.values())
        ]
        for key in set(experiment.vary) & set(experiment.grid):
            self.problems.append(f"{where}: {key} is under both `vary` and `grid`, keep one of them")
        datasets: dict[str, Dataset] = {}
        for combination, variation in itertools.product(combinations, variations):
            changes = {**experiment.set, **combination, **variation}
            values = base.settings.model_dump()
            if unreached := [key for key, value in changes.items() if not _assign(values, key, value)]:
                self.problems.append(
                    f"{where}: {unreached[0]} changes something inside a setting that has no settings inside"
                )
                continue
            wrong: list[str] = []
            settings = validated(type(base.settings), values, where, wrong)
            self.problems.extend(f"{line} (with {changes})" for line in wrong)
            if settings is not None:
                dataset = base.with_settings(settings)
                datasets[dataset.name] = dataset
        return tuple(datasets.values())

    def check_needs(self, dataset: Dataset, chains: tuple[Chain, ...], where: str) -> None:
        """Check that the data have what methods need besides observations: side variables, truth, images."""
        data, settings = f"the dataset {dataset.name!r} (generator {dataset.generator!r})", dataset.settings
        for chain in chains:
            for place, part in enumerate(chain.parts):
                method = part.settings
                lacking = lacks(method, settings.side(), settings.truth())
                lacking += (
                    ["reads images"] if method.reads_images and not place and not settings.images else []
                )
                self.problems.extend(f"{where}: {part.name} {lack}, {data} has none" for lack in lacking)
                if method.reads_images and place:
                    self.problems.append(
                        f"{where}: {part.name} reads images, and can only be the first part of {chain.shown}"
                    )


def _assign(values: dict[str, Any], dotted: str, value: Any) -> bool:
    """Set a dotted key such as ``samples.train`` in nested values; False if a key before the last has no keys inside.

    Setting ``samples`` to ``{train: 5}`` leaves its other counts as they are. An unknown key is set too: the check of
    the settings rejects it later.
    """
    *path, last = dotted.split(".")
    for key in path:
        values = values.setdefault(key, {})
        if not isinstance(values, dict):
            return False
    inside = values.get(last)
    if isinstance(inside, dict) and isinstance(value, dict):
        return all(_assign(inside, key, part) for key, part in value.items())
    # A copy, since another variation may change the values inside.
    values[last] = copy.deepcopy(value)
    return True
