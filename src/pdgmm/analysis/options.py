"""What a user can choose: how a data file is read, and how its data are fitted and checked."""

from typing import Literal

from pydantic import Field

from pdgmm.catalogue import JOINT
from pdgmm.settings import Settings

FOR_DOMAINS, FOR_DOMAINS_QUICK = "domain_flow", "nonstationary"
"""What is fitted to several domains if no method is named; the second is the affine start of the first."""


class ReadOptions(Settings):
    """How a data file is read. The defaults read a clean file and refuse what would have to be guessed."""

    columns: list[str] | None = Field(None, description="the only columns to read; null: all")
    drop_columns: list[str] = Field([], description="columns to leave out")
    index_column: str | int | None = Field(
        None, description="column of row labels: its name, or its number counted from 1; null: recognised"
    )
    missing: Literal["error", "drop", "mean"] = Field(
        "error", description="missing values: refuse, leave out their rows, or put in the column's mean"
    )
    header: bool | None = Field(
        None, description="whether the first line of a text file names the columns; null: recognised"
    )
    array: str | None = Field(None, description="which array of an .npz or HDF5 file to read")
    max_rows: int = Field(1_000_000, ge=2, description="of a file with more rows, this many drawn at random")
    seed: int = Field(0, ge=0, description="seed of that draw")


class AnalysisOptions(Settings):
    """How a user's own data are fitted and checked."""

    n_latents: int | None = Field(
        None, ge=1, description="number of latents; null: chosen by held-out likelihood"
    )
    quick: bool = Field(False, description="affine maps only: seconds to a minute or two")
    fits: int = Field(5, ge=5, description="further fits on resampled data, which tell what is stable")
    steps: int | None = Field(
        None, ge=1, description="training steps of the flow; null: by the number of latents"
    )
    method: str | None = Field(
        None, description="a method of the catalogue, or a chain of them, to fit; null: PDGMM"
    )
    domain_column: str | None = Field(
        None, description="column that names the domain of each row; null: all rows are of one domain"
    )
    alpha: float = Field(0.01, gt=0, lt=1, description="significance level of the causal graph")
    seed: int = Field(0, ge=0, description="seed of everything that is random")

    @property
    def chain(self) -> list[str]:
        """The names of the methods to fit, each to the code of the one before; empty: the estimator PDGMM."""
        if self.method is None and self.domain_column is not None:
            return [FOR_DOMAINS_QUICK if self.quick else FOR_DOMAINS]
        return self.method.split(JOINT) if self.method is not None else []
