"""A study: the datasets, methods and experiments of a checked config. :mod:`pdgmm.study.planning` makes it."""

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pdgmm.catalogue import JOINT
from pdgmm.data.base import Generator
from pdgmm.evaluation.graphs.discovery import GraphMethod
from pdgmm.settings import canonical_json, flat, short_hash
from pdgmm.study.chains import Chain, Named, NamedMethod
from pdgmm.study.config import Config, Experiment

SUMMARY = "summary"
"""The name of the table that sums up all experiments."""


@dataclass(frozen=True)
class Dataset:
    """A fully specified dataset. ``name`` is its folder: a readable name, then a hash of all its settings."""

    name: str
    generator: str
    settings: Generator

    @property
    def own_file(self) -> str | None:
        """The user's own file that it is read from; None if it is generated."""
        return getattr(self.settings, "file", None)

    @property
    def has_latents(self) -> bool:
        """Whether its true latents are known."""
        return self.own_file is None and getattr(self.settings, "latents_known", True)

    def with_settings(self, settings: Generator) -> "Dataset":
        """This dataset with other settings; its name says what differs and has a hash: ``pdgmm_n20-1a2b3c4d``.

        Differences are sorted by name, so the order in which a class declares its settings does not matter.
        """
        before = flat(self.settings.model_dump())
        changed = []
        for key, value in sorted(flat(settings.model_dump()).items()):
            if value != before[key]:
                text = f"{value:g}" if isinstance(value, float) else str(value)
                changed.append(key.split(".")[-1] + re.sub(r"[^A-Za-z0-9.]+", "", text))
        readable = "_".join([self.name, *changed])[:80]
        name = f"{readable}-{short_hash(self.generator + settings.canonical())}"
        return Dataset(name, self.generator, settings)


@dataclass(frozen=True)
class PlannedExperiment:
    """An experiment with its datasets and methods resolved."""

    name: str
    settings: Experiment
    datasets: tuple[Dataset, ...]
    chains: tuple[Chain, ...]

    @property
    def on_images(self) -> bool:
        """Whether its datasets are images."""
        return any(dataset.settings.images for dataset in self.datasets)

    @property
    def readers(self) -> list[str]:
        """The names of the networks that read the images."""
        return list(dict.fromkeys(chain.reader.name for chain in self.chains if chain.reader))

    @property
    def draws_heatmaps(self) -> bool:
        """Whether heatmaps of learned against true latents are drawn: if true latents exist and it is asked for."""
        return self.settings.heatmaps and all(dataset.has_latents for dataset in self.datasets)

    @property
    def draws_costs(self) -> bool:
        """Whether its training times are drawn against the number of latents: only if nothing else is varied."""
        varied = [*self.settings.vary, *self.settings.grid, *self.settings.vary_methods]
        return self.settings.cost and varied == ["n"]

    @property
    def curve_key(self) -> str:
        """The varied setting that its curves are drawn against; planning has checked that there is one."""
        return next(iter({**self.settings.vary, **self.settings.grid}))

    @property
    def seeds(self) -> list[int]:
        """The seeds it runs with; planning has filled them in where the experiment names none."""
        return self.settings.seeds or []

    def runs(self) -> Iterator[tuple[str, int, str]]:
        """Every (dataset, seed, chain) of the experiment."""
        names = [dataset.name for dataset in self.datasets]
        return itertools.product(names, self.seeds, [chain.name for chain in self.chains])

    def table_plan(self) -> dict[str, Any]:
        """The description of its table: its title, what is varied, and the names of its runs."""
        of_chains = ("name", "shown", "kind", "setting", "size", "sizes", "reduced", "role", "told")
        return {
            "name": self.name,
            **self.settings.model_dump(
                include={
                    *(
                        "title",
                        "note",
                        "cost",
                        "published_table",
                        "seeds",
                        "graphs",
                        "between_fits",
                        "curves",
                    ),
                }
            ),
            "varied": [*self.settings.grid, *self.settings.vary],
            "datasets": [{"name": dataset.name} for dataset in self.datasets],
            "methods": [{key: getattr(chain, key) for key in of_chains} for chain in self.chains],
        }


@dataclass(frozen=True)
class Study:
    """A checked config with all its datasets, methods, graphs and experiments."""

    config: Config
    datasets: dict[str, Dataset]
    methods: dict[str, NamedMethod]
    graphs: dict[str, Named[GraphMethod]]
    experiments: dict[str, PlannedExperiment]

    def last_part(self, chain: str) -> NamedMethod:
        """The method that a chain ends with."""
        return self.methods[chain.rpartition(JOINT)[2]]

    def gpus(self, chain: str) -> int:
        """How many GPUs the fit of a chain's last part asks for: none if it cannot use one."""
        return self.config.gpus_per_training if self.last_part(chain).settings.uses_torch else 0

    def label(self, chain: str) -> str:
        """What figures and tables show beside a chain's scores, as JSON: its name and its size."""
        parts = tuple(self.methods[name] for name in chain.split(JOINT))
        return canonical_json({"method": chain, "size": Chain(parts, chain).size})

    def runs(self) -> list[tuple[str, int, str]]:
        """Every (dataset, seed, chain) of the study, once even if several experiments share it."""
        return list(
            dict.fromkeys(run for experiment in self.experiments.values() for run in experiment.runs())
        )
