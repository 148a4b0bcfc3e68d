"""A study: what a checked config means. :mod:`pdgmm.planning` makes one.

This module imports no torch: the workflow is planned with it.
"""

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from pdgmm.config import Config, Experiment
from pdgmm.data.base import Generator
from pdgmm.dataset_names import FEATURES as FEATURES_KEY
from pdgmm.dataset_names import images_name
from pdgmm.errors import UserError
from pdgmm.evaluation.graphs.discovery import GraphMethod
from pdgmm.method_variants import MethodVariant, NamedStage
from pdgmm.settings import canonical_json

SUMMARY = "summary"
"""The table over all experiments."""

METHOD = re.compile(r"(?P<stage1>[^+]+)\+(?P<stage2>[^+]+)")


@dataclass(frozen=True)
class Dataset:
    """A fully specified dataset. ``name`` is its folder: what it is, then the hash of all its settings."""

    name: str
    generator: str
    settings: Generator

    @property
    def own_file(self) -> str | None:
        """The user's own file that it is read from; None where it is drawn."""
        return getattr(self.settings, "file", None)

    @property
    def images(self) -> str | None:
        """The name of the images that it holds features of; None where it holds none."""
        return images_name(self.name)

    @property
    def features(self) -> str | None:
        """The name of the features that it holds; None where it holds none."""
        return getattr(self.settings, FEATURES_KEY, None)


@dataclass(frozen=True)
class NamedGraph:
    """A method that finds graphs under the name that stands in paths; ``method`` is the catalogue's name for it."""

    name: str
    method: str
    settings: GraphMethod


@dataclass(frozen=True)
class PlannedExperiment:
    """An experiment with its datasets and methods resolved."""

    name: str
    settings: Experiment
    datasets: tuple[Dataset, ...]
    methods: tuple[MethodVariant, ...]

    @property
    def on_images(self) -> bool:
        """Whether its datasets are features of images."""
        return any(dataset.images for dataset in self.datasets)

    @property
    def draws_heatmaps(self) -> bool:
        """Whether learned latents are drawn against true ones: where there are such, and it is wanted."""
        return self.settings.heatmaps and not any(dataset.own_file for dataset in self.datasets)

    @property
    def draws_costs(self) -> bool:
        """Whether its training times are drawn: against the number of latents, where nothing else is varied."""
        varied = [*self.settings.vary, *self.settings.grid, *self.settings.vary_methods]
        return self.settings.cost and varied == ["n"]

    def runs(self) -> Iterator[tuple[str, int, str]]:
        """Every (dataset, seed, method) of the experiment."""
        names = [dataset.name for dataset in self.datasets]
        return itertools.product(names, self.settings.seeds, [method.name for method in self.methods])


@dataclass(frozen=True)
class Study:
    """A checked config with everything it means."""

    config: Config
    datasets: dict[str, Dataset]
    features: dict[str, NamedStage]
    stage1: dict[str, NamedStage]
    stage2: dict[str, NamedStage]
    graphs: dict[str, NamedGraph]
    experiments: dict[str, PlannedExperiment]

    def gpus(self, stage: NamedStage) -> int:
        """How many GPUs a fit of the stage asks for: none where it cannot use one."""
        return self.config.gpus_per_training if stage.settings.uses_torch else 0

    def label(self, stage1: str, stage2: str) -> str:
        """What stands beside a method's scores, as JSON: its name, and how long and how large its fits are."""
        sizes = [self.stage1[stage1].settings.size(), self.stage2[stage2].settings.size()]
        return canonical_json({"method": f"{stage1}+{stage2}", "size": "; ".join(filter(None, sizes))})

    def reduced(self, method: str) -> str:
        """In words, what of a method is smaller than the paper ran it; ``""`` where nothing is."""
        names = dict(zip(("stage 1", "stage 2"), split_method(method), strict=True))
        sizes = {
            "stage 1": self.stage1[names["stage 1"]].settings.reduced(),
            "stage 2": self.stage2[names["stage 2"]].settings.reduced(),
        }
        return "; ".join(f"{stage}: {size}" for stage, size in sizes.items() if size)

    def features_size(self, dataset: Dataset, reduced: bool = False) -> str:
        """In words, the effort that went into a dataset's features, or what of it is smaller than in the paper."""
        if dataset.features is None:
            return ""
        settings = self.features[dataset.features].settings
        words = settings.reduced() if reduced else settings.size()
        return f"features: {words}" if words else ""

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
                "note": settings.note,
                "cost": settings.cost,
                "published_table": settings.published_table,
                "varied": [*settings.grid, *settings.vary],
                "datasets": [
                    {
                        "name": dataset.name,
                        "size": self.features_size(dataset),
                        "reduced": self.features_size(dataset, reduced=True),
                    }
                    for dataset in planned.datasets
                ],
                "methods": [
                    {
                        "name": method.name,
                        "shown": method.shown,
                        "kind": self.kind(method.name),
                        "setting": dict(method.setting),
                        "reduced": self.reduced(method.name),
                    }
                    for method in planned.methods
                ],
                "seeds": settings.seeds,
                "graphs": settings.graphs,
            }
        )

    def runs(self) -> list[tuple[str, int, str]]:
        """Every (dataset, seed, method) of the study once, however many experiments share it."""
        return list(
            dict.fromkeys(run for experiment in self.experiments.values() for run in experiment.runs())
        )


def split_method(method: str) -> tuple[str, str]:
    """``"autoencoder+lagrangian"`` as ``("autoencoder", "lagrangian")``."""
    parts = METHOD.fullmatch(method)
    if parts is None:
        raise UserError(f"{method!r} is no method: write <stage1>+<stage2>, for example identity+fastica")
    return parts["stage1"], parts["stage2"]
