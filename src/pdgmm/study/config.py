"""The config file: its keys and their types, and how files are read and merged."""

from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import Field, field_validator

from pdgmm.errors import UserError
from pdgmm.settings import Settings
from pdgmm.theory.likelihood_toy import LikelihoodToy

_MERGE = "tag:yaml.org,2002:merge"

INCLUDE = "include"
"""The key under which a config file names another file that it builds on."""


class Experiment(Settings):
    """One table of a study: a dataset, what is varied in it, the methods and the seeds."""

    title: str | None = Field(
        None, description="heading of the table in the report; null: the experiment's name"
    )
    dataset: str | dict[str, Any] = Field(
        description="name of an entry under `datasets`, or a dataset given here: `{file: data/my.csv}`"
    )
    set: dict[str, Any] = Field({}, description="settings of that dataset to change for the whole experiment")
    vary: dict[str, list[Any]] = Field({}, description="settings of the dataset to sweep, one at a time")
    grid: dict[str, list[Any]] = Field(
        {}, description="settings of the dataset to sweep, in every combination"
    )
    methods: list[str] = Field(
        min_length=1,
        description="methods: each is one name or a chain `<first>+<second>`, whose parts are fitted to the code of "
        "the part before",
    )
    vary_methods: dict[str, list[Any]] = Field(
        {},
        description="settings of methods to sweep, one at a time, `<method>.<setting>`; every method of the "
        "experiment must have them",
    )
    seeds: list[int] | None = Field(
        None,
        min_length=1,
        description="one run for each; non-negative integers. null: the top level's `seeds`; if there are none, 0, 1 "
        "and 2 for your own file",
    )
    published_table: str | None = Field(
        None, description="published table to compare with: `<paper>/<table>`"
    )
    note: str = Field("", description="text under the table's heading")
    cost: bool = Field(False, description="also tabulate the training times; draw them if only `n` is varied")
    curves: list[str] = Field(
        [],
        description="scores to draw against the varied number, one panel each, one line per method: "
        "`[mcc, r2]`; exactly one setting of the dataset must be varied, and over numbers",
    )
    heatmaps: bool = Field(True, description="draw |correlation| heatmaps for the first seed")
    traversals: bool = Field(
        False,
        description="draw what moves when one latent of a method goes from low to high, for the first seed; only for "
        "small images such as digits and sprites",
    )
    mixture_images: list[str] = Field(
        [],
        description="methods of the experiment whose fits have a mixture (`mfcvae`, `vade`): draw images from every "
        "component, and held-out images with their reconstructions, for the first seed; only for small images",
    )
    between_fits: bool = Field(
        False,
        description="also tabulate how well fits with different seeds agree; all seeds must have the same held-out "
        "samples, as with a file or the generator `repeated`",
    )
    graphs: list[str] = Field(
        [],
        description="methods that find the causal graph among the latents; the dataset must have a true one",
    )


class Config(Settings):
    """The keys of a config file."""

    device: Literal["auto", "cpu", "cuda", "mps"] = Field(
        "auto", description="where training runs; `auto` uses a GPU if there is one"
    )
    gpus_per_training: int = Field(
        0,
        ge=0,
        description="GPUs that each training asks for, from the scheduler or from `--resources gpu=N`",
    )
    track_code: bool = Field(
        True, description="run again what a change of the package's code affects; `false` keeps results"
    )
    seeds: list[int] = Field([], description="seeds of every experiment that does not name its own")
    datasets: dict[str, dict[str, Any]] = Field(
        {}, description="named datasets: `generator` and its settings"
    )
    methods: dict[str, dict[str, Any]] = Field({}, description="named settings of methods")
    graphs: dict[str, dict[str, Any]] = Field({}, description="named settings of methods that find graphs")
    toys: dict[str, list[LikelihoodToy]] = Field(
        {},
        description="named searches of the exact likelihood of small models, each a list of grids; part of the whole "
        "study, or run alone by `only_<name>`",
    )
    experiments: dict[str, Experiment] = Field(
        min_length=1, description="named experiments; each makes one table"
    )

    @field_validator("track_code", mode="before")
    @classmethod
    def _from_command_line(cls, value: Any) -> Any:
        # `snakemake --config track_code=false` passes a string, `track_code=False` a boolean.
        return {"true": True, "false": False}.get(value, value) if isinstance(value, str) else value


def read_config(paths: list[Path]) -> dict[str, Any]:
    """The merged content of YAML files, as Snakemake merges them: dicts key by key, anything else is replaced.

    A file may name another one under ``include``, relative to itself. The values of the including file then replace
    those of the included one.
    """
    merged: dict[str, Any] = {}
    for path in paths:
        merged = merge(merged, _with_included(Path(path), ()))
    return merged


def merge(base: dict[str, Any], update: dict[str, Any]) -> dict[str, Any]:
    """``base`` updated with ``update``: dicts are merged key by key, anything else is replaced."""
    merged = dict(base)
    for key, value in update.items():
        both = isinstance(value, dict) and isinstance(merged.get(key), dict)
        merged[key] = merge(merged[key], value) if both else value
    return merged


def _with_included(path: Path, including: tuple[Path, ...]) -> dict[str, Any]:
    if path.resolve() in including:
        raise UserError(f"{including[-1]}: include: {path} includes itself")
    content = _content(path)
    if INCLUDE not in content:
        return content
    name = content.pop(INCLUDE)
    if not isinstance(name, str) or "\0" in name:
        raise UserError(
            f"{path}: include: {name!r} is not the name of a file; write the path of a config file"
        )
    return merge(_with_included(path.parent / name, (*including, path.resolve())), content)


def _content(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8")
        _refuse_repeated_keys(yaml.compose(text, yaml.SafeLoader))
        content = yaml.safe_load(text)
    except UserError as error:
        raise UserError(f"{path}: {error}") from error
    except OSError as error:
        raise UserError(
            f"cannot read the config file {path}: {error.strerror}. Go to the study's folder, or name another "
            "file with --config"
        ) from error
    # Not all of these are YAML errors: text that is not UTF-8, a value that does not fit its tag, endless nesting.
    except (yaml.YAMLError, ValueError, LookupError, AttributeError, TypeError, RecursionError) as error:
        raise UserError(f"{path} is not valid YAML: {error}") from error
    if not isinstance(content, dict):
        raise UserError(f"{path} must contain keys such as `experiments:`, but contains {content!r}")
    return content


def _refuse_repeated_keys(root: yaml.Node | None) -> None:
    """Raise an error that names the lines if a key appears twice. YAML itself would silently keep the last one."""
    # Works on nodes: the values built from them no longer show the repetition. Anchors make the nodes a graph.
    waiting, seen = [root] if root else [], set()
    while waiting:
        node = waiting.pop()
        if id(node) in seen or isinstance(node, yaml.ScalarNode):
            continue
        seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            waiting.extend(node.value)
            continue
        lines: dict[tuple[str, str], int] = {}
        for key, value in node.value:
            waiting.extend((key, value))
            if isinstance(key, yaml.ScalarNode) and key.tag != _MERGE:
                name, line = (key.tag, key.value), key.start_mark.line + 1
                if name in lines:
                    first = lines[name]
                    where = (
                        f"in line {first} and in line {line}" if first != line else f"twice in line {first}"
                    )
                    raise UserError(
                        f"the key `{key.value}` appears {where}, and only the last one would count. Merge the two or "
                        "remove one"
                    )
                lines[name] = line
