"""``study.json``: what was fitted to what."""

from typing import Literal, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, PositiveFloat, model_validator

import pdgmm
from pdgmm.analysis.fitting.analysis_options import AnalysisOptions
from pdgmm.analysis.reading.read_options import ReadOptions


class Manifest(BaseModel):
    """What an analysis is about. Columns are standardised before they are fitted: ``(x - means) / scales``."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    format_version: Literal[1] = 1
    pdgmm_version: str = pdgmm.__version__
    file: str
    key: str
    """A hash of the data and the options: folders with another one belong to something else."""
    columns: list[str] = Field(min_length=1)
    means: list[float]
    scales: list[PositiveFloat]
    image_shape: tuple[int, int, int] | None
    reading: ReadOptions
    options: AnalysisOptions

    @model_validator(mode="after")
    def _one_a_column(self) -> Self:
        if not len(self.columns) == len(self.means) == len(self.scales):
            raise ValueError("every column needs a mean and a scale")
        return self

    def standardised(self, values: np.ndarray) -> np.ndarray:
        """Rows (samples, columns) as the estimators see them."""
        return (values.astype(np.float64) - self.means) / self.scales

    def restored(self, rows: np.ndarray) -> np.ndarray:
        """Rows in the units of the file."""
        return rows * self.scales + self.means
