"""A study: what a checked config means. :mod:`pdgmm.study.planning` makes one."""

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
"""The table over all experiments."""


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
    def has_latents(self) -> bool:
        """Whether its true latents are known."""
        return self.own_file is None and getattr(self.settings, "latents_known", True)

    def with_settings(self, settings: Generator) -> "Dataset":
        """The dataset of other settings: its name, what differs, and the hash of the whole, ``pdgmm_n20-1a2b3c4d``.

        Differences are in the order of the alphabet: where a class declares a setting does not matter.
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
        """The networks that read the images, by name."""
        return list(dict.fromkeys(chain.reader.name for chain in self.chains if chain.reader))

    @property
    def draws_heatmaps(self) -> bool:
        """Whether learned latents are drawn against true ones: where there are such, and it is wanted."""
        return self.settings.heatmaps and all(dataset.has_latents for dataset in self.datasets)

    @property
    def draws_costs(self) -> bool:
        """Whether its training times are drawn: against the number of latents, where nothing else is varied."""
        varied = [*self.settings.vary, *self.settings.grid, *self.settings.vary_methods]
        return self.settings.cost and varied == ["n"]

    @property
    def seeds(self) -> list[int]:
        """The seeds it runs with; planning has filled them in where the experiment names none."""
        return self.settings.seeds or []

    def runs(self) -> Iterator[tuple[str, int, str]]:
        """Every (dataset, seed, chain) of the experiment."""
        names = [dataset.name for dataset in self.datasets]
        return itertools.product(names, self.seeds, [chain.name for chain in self.chains])

    def table_plan(self) -> dict[str, Any]:
        """What its table is about: its title, what is varied, and the names of its runs."""
        of_chains = ("name", "shown", "kind", "setting", "size", "sizes", "reduced", "role", "told")
        return {
            "name": self.name,
            **self.settings.model_dump(
                include={
                    *("title", "note", "cost", "published_table", "seeds", "graphs", "between_fits"),
                }
            ),
            "varied": [*self.settings.grid, *self.settings.vary],
            "datasets": [{"name": dataset.name} for dataset in self.datasets],
            "methods": [{key: getattr(chain, key) for key in of_chains} for chain in self.chains],
        }


@dataclass(frozen=True)
class Study:
    """A checked config with everything it means."""

    config: Config
    datasets: dict[str, Dataset]
    methods: dict[str, NamedMethod]
    graphs: dict[str, Named[GraphMethod]]
    experiments: dict[str, PlannedExperiment]

    def last_part(self, chain: str) -> NamedMethod:
        """The method that a chain ends with."""
        return self.methods[chain.rpartition(JOINT)[2]]

    def gpus(self, chain: str) -> int:
        """How many GPUs the fit of a chain's last part asks for: none where it cannot use one."""
        return self.config.gpus_per_training if self.last_part(chain).settings.uses_torch else 0

    def label(self, chain: str) -> str:
        """What is shown beside a chain's scores, as JSON: its name, and how long and how large its fits are."""
        parts = tuple(self.methods[name] for name in chain.split(JOINT))
        return canonical_json({"method": chain, "size": Chain(parts, chain).size})

    def runs(self) -> list[tuple[str, int, str]]:
        """Every (dataset, seed, chain) of the study once, however many experiments share it."""
        return list(
            dict.fromkeys(run for experiment in self.experiments.values() for run in experiment.runs())
        )
