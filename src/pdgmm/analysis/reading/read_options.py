"""What a user can say about a data file."""

from typing import Literal

from pydantic import Field

from pdgmm.settings import Settings


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
