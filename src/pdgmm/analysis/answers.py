"""What an analysis answers: ``diagnostics.json``. The diagnostics fill these classes, and the page reads them.

Latents are numbered from 1. A number that is not defined (NaN or infinite) becomes None.
"""

import math
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

Verdict = Literal["holds", "doubtful", "violated", "unknown"]
"""``unknown`` where something could not be checked; the sentence beside it says why."""

STABLE_EDGE = 0.8
"""An edge of the graph that at least this share of the further fits find again is called stable."""


def _defined(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


Number = Annotated[float | None, BeforeValidator(_defined)]


class Part(BaseModel):
    """A part of what is written: it cannot be changed, and it has no keys but its own."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, populate_by_name=True)


class Data(Part):
    """What was read."""

    file: str
    rows: int
    rows_in_file: int
    columns: list[str]
    image_shape: tuple[int, int, int] | None
    """Height, width and channels."""
    notes: list[str]


class FitSettings(Part):
    """How it was fitted."""

    quick: bool
    n_latents: int | None
    fits: int
    seed: int
    pdgmm_version: str
    method: str | None = None
    """The method or chain of methods that was fitted instead of PDGMM, with assumptions that are not checked."""


class Candidate(Part):
    """A number of latents that was tried, with mean log-likelihoods of held-out rows in nats a row.

    Under latents that rest and under Gaussian ones, and how many of the first are seen to rest in held-out rows.
    """

    n: int
    held_out_log_likelihood: Number
    gaussian_log_likelihood: Number = None
    resting: int | None = None


class Count(Part):
    """How many latents there are. ``explained_variance`` holds the shares of the first principal directions.

    ``rank`` is the number of directions in which the data vary at all. ``non_gaussian`` says whether they are more
    than Gaussian directions.
    """

    chosen: int = Field(ge=1)
    asked: bool
    explained_variance: list[float]
    rank: int
    candidates: list[Candidate]
    verdict: Verdict
    sentence: str
    non_gaussian: Verdict = "unknown"
    non_gaussian_sentence: str = ""


class IdentifiedLatent(Part):
    """How far further fits agree on a latent: means over the fits of absolute correlations."""

    latent: int
    strong: Number
    weak: Number
    block: int
    trusted: bool
    reason: str
    doubts: list[str] = []
    """What speaks against it, each in a few words that are the same for every latent."""
    found_again: bool = False
    """Said of the latents of a named method, none of which is trusted: whether every further fit finds it again."""


class Identified(Part):
    """Which latents further fits find again. Latents of one block can only be told from those of the others."""

    fits: int
    strong_mcc: Number
    weak_mcc: Number
    latents: list[IdentifiedLatent]
    blocks: list[list[int]]
    compared_rows: int
    fitted_rows_too: bool
    """Whether rows that were fitted are among those that were compared."""
    verdict: Verdict
    sentence: str


class Gaussianity(Part):
    """How near to a normal distribution the active values of a latent are."""

    test: str = "Lilliefors"
    statistic: Number = None
    critical_value: Number = None
    skewness: Number = None
    kurtosis: Number = None
    """Excess kurtosis: 0 for a normal distribution."""


class Quantiles(Part):
    """For a Q-Q plot; both lists are empty where the quantiles are not defined."""

    normal: list[float] = []
    observed: list[float] = []


class LatentAssumptions(Part):
    """Whether one latent rests at a value, and is Gaussian while it does not."""

    latent: int
    spike_share: Number
    spike_value: Number
    spike_width: Number
    active_samples: int
    rests: bool = True
    """Whether new rows confirm that it rests; else the numbers on its rest are those of a mere peak."""
    gaussianity: Gaussianity
    quantiles: Quantiles
    verdict: Verdict
    sentence: str


class Pattern(Part):
    """Latents that are active together, and the share of the rows in which just these are."""

    active: list[int]
    share: float


class Variability(Part):
    """Which pairs of latents the data cannot separate."""

    verdict: Verdict
    pairs_not_separated: list[tuple[int, int]]
    inseparable: list[int]
    """Latents without which some other latent is never active: they may hold a share of that one."""
    sentence: str


class Mixing(Part):
    """Mean held-out log-likelihoods in nats a row; that of the flow is None where none was fitted."""

    affine_log_likelihood: Number
    flow_log_likelihood: Number
    verdict: Verdict
    sentence: str


class Assumptions(Part):
    """All assumptions that can be checked; ``patterns`` are the most frequent ones."""

    latents: list[LatentAssumptions]
    patterns: list[Pattern]
    patterns_share: float
    variability: Variability
    mixing: Mixing


class Meaning(Part):
    """``sensitivity`` (latents, columns): standard deviations of a column per standard deviation of a latent."""

    columns: list[str]
    sensitivity: list[list[Number]]
    sentence: str


class Edge(Part):
    """From a cause to an effect, or between two latents whose direction is not known."""

    begin: int = Field(alias="from")
    end: int = Field(alias="to")
    directed: bool
    stability: Number
    """Share of the further fits that find it again."""


class Graph(Part):
    """The causal graph among the latents."""

    method: str = "pc"
    alpha: float
    edges: list[Edge]
    samples: int
    sentence: str


class LatentChange(Part):
    """How a latent differs between domains, in standard deviations of the latent over all rows.

    ``gain``: how much more probable new rows are, in nats a row, under moments of its own in every domain.
    """

    latent: int
    changes: bool
    gain: Number
    gain_error: Number
    means: list[Number]
    deviations: list[Number]


class DomainChanges(Part):
    """Which latents change over domains; ``column`` of the file names them."""

    column: str
    names: list[str]
    rows: list[int]
    latents: list[LatentChange]
    verdict: Verdict
    sentence: str


class Answers(Part):
    """The whole file. ``assumptions`` are those of PDGMM, None where another method was fitted."""

    format_version: Literal[1] = 1
    data: Data
    settings: FitSettings
    count: Count
    identified: Identified
    assumptions: Assumptions | None = None
    domains: DomainChanges | None = None
    meaning: Meaning
    graph: Graph
    seconds: float

    @property
    def n_latents(self) -> int:
        """How many latents there are."""
        return self.count.chosen

    @property
    def trusted(self) -> frozenset[int]:
        """The numbers of the latents that can be trusted."""
        return frozenset(entry.latent for entry in self.identified.latents if entry.trusted)

    @property
    def sure(self) -> frozenset[int]:
        """Those that are trusted or, of a named method, found again; the page marks all others."""
        again = {entry.latent for entry in self.identified.latents if entry.found_again}
        return self.trusted | again

    @property
    def unsure(self) -> list[int]:
        """The numbers of the others."""
        return [entry.latent for entry in self.identified.latents if entry.latent not in self.sure]

    @model_validator(mode="after")
    def _parts_fit_together(self) -> Self:
        numbers = list(range(1, self.n_latents + 1))
        if (self.assumptions is None) != (self.settings.method is not None):
            raise ValueError("assumptions are for the fit without a method, and only for that")
        for part in ("identified", "assumptions", "domains"):
            held = getattr(self, part)
            if held is not None and [entry.latent for entry in held.latents] != numbers:
                raise ValueError(f"{part}.latents must number the latents from 1 to {len(numbers)}")
        if sorted(latent for block in self.identified.blocks for latent in block) != numbers:
            raise ValueError("identified.blocks must hold every latent once")
        widths = [len(row) for row in self.meaning.sensitivity]
        if widths != [len(self.meaning.columns)] * len(numbers):
            raise ValueError("meaning.sensitivity needs a value for every latent and column")
        for entry in self.assumptions.latents if self.assumptions else []:
            if len(entry.quantiles.normal) != len(entry.quantiles.observed):
                raise ValueError(
                    f"the quantiles of latent {entry.latent} need as many observed as normal ones"
                )
        named = []
        if self.assumptions:
            named += [latent for pattern in self.assumptions.patterns for latent in pattern.active]
            named += [latent for pair in self.assumptions.variability.pairs_not_separated for latent in pair]
        if self.domains:
            counts = {len(part) for one in self.domains.latents for part in (one.means, one.deviations)}
            if counts | {len(self.domains.rows)} != {len(self.domains.names)}:
                raise ValueError("domains needs the rows and the moments of every latent for each domain")
        named += [latent for edge in self.graph.edges for latent in (edge.begin, edge.end)]
        if unknown := set(named) - set(numbers):
            raise ValueError(f"a pattern, pair or edge names latent {min(unknown)}, which does not exist")
        return self
