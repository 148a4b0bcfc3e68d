"""The config file: its keys, its types, and how files are read and merged."""

from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import Field, field_validator

from pdgmm.errors import UserError
from pdgmm.settings import Settings


class Experiment(Settings):
    """One table of a study: a dataset, what is varied in it, the methods, and the seeds."""

    title: str = Field(description="heading of the table in the report")
    dataset: str = Field(description="the entry under `datasets` to start from")
    set: dict[str, Any] = Field({}, description="settings of that dataset changed for the whole experiment")
    vary: dict[str, list[Any]] = Field({}, description="settings swept one at a time")
    grid: dict[str, list[Any]] = Field({}, description="settings of which every combination is taken")
    methods: list[str] = Field(min_length=1, description="methods, each `<stage1>+<stage2>`")
    seeds: list[int] = Field(min_length=1, description="one run each; non-negative integers")
    published_table: str | None = Field(None, description="number of the paper's table to compare with")
    heatmaps: bool = Field(True, description="draw |correlation| heatmaps for the first seed")


class Config(Settings):
    """The config file. Entries of `datasets`, `stage1` and `stage2` are checked by the class they name."""

    device: Literal["auto", "cpu", "cuda", "mps"] = Field(
        "auto", description="where training runs; `auto` takes a GPU where there is one"
    )
    gpus_per_training: int = Field(
        0, ge=0, description="GPUs a training job asks for, from the scheduler or from `--resources gpu=N`"
    )
    track_code: bool = Field(
        True, description="re-run what a change of the package's code affects; `false` freezes results"
    )
    datasets: dict[str, dict[str, Any]] = Field(
        min_length=1, description="named datasets: `generator` and its settings"
    )
    stage1: dict[str, dict[str, Any]] = Field({}, description="named stage-1 settings")
    stage2: dict[str, dict[str, Any]] = Field({}, description="named stage-2 settings")
    experiments: dict[str, Experiment] = Field(min_length=1, description="what is run and tabulated")

    @field_validator("track_code", mode="before")
    @classmethod
    def _from_command_line(cls, value: Any) -> Any:
        # `snakemake --config track_code=false` hands on a text, `False` a truth value.
        return {"true": True, "false": False}.get(value, value) if isinstance(value, str) else value


def read_config(paths: list[Path]) -> dict[str, Any]:
    """The merged content of YAML files; like Snakemake, dicts are merged and anything else is replaced."""
    merged: dict[str, Any] = {}
    for path in paths:
        try:
            content = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
        except OSError as error:
            raise UserError(f"cannot read the config file {path}: {error.strerror}") from error
        except yaml.YAMLError as error:
            raise UserError(f"{path} is no valid YAML: {error}") from error
        if not isinstance(content, dict):
            raise UserError(f"{path} must hold keys such as `experiments:`, it holds {content!r}")
        merged = _merge(merged, content)
    return merged


def _merge(base: dict[str, Any], update: dict[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in update.items():
        both = isinstance(value, dict) and isinstance(merged.get(key), dict)
        merged[key] = _merge(merged[key], value) if both else value
    return merged
