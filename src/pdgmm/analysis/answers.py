"""What a fit to a scientist's own data found: ``diagnostics.json``, checked before anything is drawn from it."""

import json
from pathlib import Path
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from pdgmm.errors import UserError

FILE = "diagnostics.json"
FORMAT_VERSION = 1

Verdict = Literal["holds", "doubtful", "violated", "unknown"]


class Part(BaseModel):
    """A part of the file. Keys the page does not use are let through; wrong types and NaN are not."""

    model_config = ConfigDict(extra="ignore", frozen=True, strict=True, allow_inf_nan=False)


class Data(Part):
    file: str
    rows: int
    rows_in_file: int
    columns: list[str]
    image_shape: tuple[int, int, int] | None
    """Height, width and channels."""
    notes: list[str]


class FitSettings(Part):
    quick: bool
    n_latents: int | None
    fits: int
    seed: int
    pdgmm_version: str


class Candidate(Part):
    n: int
    held_out_log_likelihood: float | None


class Count(Part):
    chosen: int = Field(ge=1)
    asked: bool
    explained_variance: list[float]
    rank: int | None
    candidates: list[Candidate]
    verdict: Verdict
    sentence: str


class IdentifiedLatent(Part):
    latent: int
    strong: float | None
    weak: float | None
    trusted: bool
    reason: str


class Identified(Part):
    fits: int
    strong_mcc: float | None
    weak_mcc: float | None
    latents: list[IdentifiedLatent]
    blocks: list[list[int]]
    compared_rows: int | None = None
    """None in files of earlier versions."""
    fitted_rows_too: bool = False
    """Whether rows that were fitted are among those that were compared."""
    verdict: Verdict
    sentence: str


class Gaussianity(Part):
    test: str
    statistic: float | None
    critical_value: float | None = None
    """None in files of earlier versions too."""
    skewness: float | None
    kurtosis: float | None


class Quantiles(Part):
    normal: list[float]
    observed: list[float]

    @model_validator(mode="after")
    def _pairs(self) -> Self:
        if len(self.normal) != len(self.observed):
            raise ValueError("a Q-Q plot needs as many observed as normal quantiles")
        return self


class LatentAssumptions(Part):
    latent: int
    spike_share: float | None
    spike_value: float | None
    spike_width: float | None
    active_samples: int
    gaussianity: Gaussianity
    quantiles: Quantiles
    verdict: Verdict
    sentence: str


class Pattern(Part):
    active: list[int]
    share: float


class Variability(Part):
    verdict: Verdict
    pairs_not_separated: list[tuple[int, int]]
    sentence: str


class Mixing(Part):
    affine_log_likelihood: float | None
    flow_log_likelihood: float | None
    verdict: Verdict
    sentence: str


class Assumptions(Part):
    latents: list[LatentAssumptions]
    patterns: list[Pattern]
    patterns_share: float | None
    variability: Variability
    mixing: Mixing


class Meaning(Part):
    columns: list[str]
    sensitivity: list[list[float | None]]
    """(latents, columns): standard deviations of a column per standard deviation of a latent."""
    sentence: str

    @model_validator(mode="after")
    def _a_value_for_every_column(self) -> Self:
        if any(len(row) != len(self.columns) for row in self.sensitivity):
            raise ValueError("a sensitivity is needed for every latent and column")
        return self


class Edge(Part):
    begin: int = Field(alias="from")
    end: int = Field(alias="to")
    directed: bool
    stability: float | None


class Graph(Part):
    method: str
    alpha: float | None
    edges: list[Edge]
    samples: int | None
    sentence: str


class Diagnostics(Part):
    """The whole file; latents are numbered from 1."""

    format_version: Literal[1]
    data: Data
    settings: FitSettings
    count: Count
    identified: Identified
    assumptions: Assumptions
    meaning: Meaning
    graph: Graph
    seconds: float | None

    @property
    def n_latents(self) -> int:
        return self.count.chosen

    @property
    def trusted(self) -> frozenset[int]:
        """The numbers of the latents that can be trusted."""
        return frozenset(entry.latent for entry in self.identified.latents if entry.trusted)

    @model_validator(mode="after")
    def _same_latents_everywhere(self) -> Self:
        numbers = list(range(1, self.count.chosen + 1))
        for name, entries in (
            ("identified.latents", self.identified.latents),
            ("assumptions.latents", self.assumptions.latents),
        ):
            if [entry.latent for entry in entries] != numbers:
                raise ValueError(f"{name} must number the latents from 1 to {len(numbers)}")
        if sorted(latent for block in self.identified.blocks for latent in block) != numbers:
            raise ValueError("identified.blocks must hold every latent once")
        if len(self.meaning.sensitivity) != len(numbers):
            raise ValueError("meaning.sensitivity needs a row for every latent")
        named = [latent for pattern in self.assumptions.patterns for latent in pattern.active]
        named += [latent for pair in self.assumptions.variability.pairs_not_separated for latent in pair]
        named += [latent for edge in self.graph.edges for latent in (edge.begin, edge.end)]
        if not set(named) <= set(numbers):
            unknown = min(set(named) - set(numbers))
            raise ValueError(f"a pattern, pair or edge names latent {unknown}, which does not exist")
        return self


def read_diagnostics(folder: Path) -> Diagnostics:
    """The checked content of ``folder/diagnostics.json``; a :class:`UserError` where it cannot be used."""
    path = Path(folder) / FILE
    again = f"write it with: pdgmm fit YOUR_DATA --out {folder}"
    try:
        text = path.read_text(encoding="utf-8")
        version = _format_version(json.loads(text))
    except FileNotFoundError:
        raise UserError(f"{path} is missing: there is no fit to report on; {again}") from None
    except (OSError, ValueError) as error:
        raise UserError(f"{path} cannot be read ({error}); {again}") from error
    if version is None:
        raise UserError(f"{path} was not written by pdgmm fit: it has no format_version; {again}")
    if version != FORMAT_VERSION:
        raise UserError(
            f"{path} has format_version {version!r}, this version of pdgmm reads {FORMAT_VERSION}; {again}"
        )
    try:
        return Diagnostics.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the file"
        raise UserError(f"{path} is damaged at {place}: {first['msg']}; {again}") from error


def _format_version(content: object) -> object:
    return content.get("format_version") if isinstance(content, dict) else None
