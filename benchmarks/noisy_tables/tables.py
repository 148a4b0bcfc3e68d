"""Tables with noise: drawn ones whose number of latents is known, and real ones that Python packages ship."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from pdgmm.data import generator_class

ROWS = 2_000


@dataclass(frozen=True)
class Drawn:
    """A table of ``n`` latents seen in ``columns`` with noise of ``decibels``, mixed by ``layers``."""

    seed: int
    n: int
    columns: int
    decibels: int
    layers: int = 1

    @property
    def name(self) -> str:
        """Of its files."""
        return f"drawn-{self.seed}"

    @property
    def mixing(self) -> str:
        """In words."""
        return "affine" if self.layers == 1 else f"curved, {self.layers} layers"

    def draw(self) -> tuple[pd.DataFrame, np.ndarray]:
        """The table (rows, columns) and its true latents (rows, n)."""
        generator = generator_class("pdgmm")(
            n=self.n, x_dim=self.columns, m=self.layers, observation_noise=self.decibels
        )
        drawn = generator.build(self.seed).sample("train", ROWS, np.random.default_rng(self.seed))
        names = [f"x{number}" for number in range(1, self.columns + 1)]
        return pd.DataFrame(drawn["x"], columns=names), drawn["z"]


DRAWN = [
    Drawn(300, 4, 6, 10),
    Drawn(301, 4, 16, 20),
    Drawn(302, 5, 8, 15),
    Drawn(303, 5, 25, 30),
    Drawn(304, 6, 9, 10),
    Drawn(305, 6, 12, 25),
    Drawn(306, 7, 10, 20),
    Drawn(307, 8, 16, 30),
    Drawn(308, 10, 20, 15),
    Drawn(309, 5, 10, 10, layers=3),
    Drawn(310, 6, 12, 20, layers=3),
    Drawn(311, 8, 12, 30, layers=3),
]
"""None of them was looked at while the rules were made."""


def _breast_cancer() -> pd.DataFrame:
    from sklearn.datasets import load_breast_cancer

    return load_breast_cancer(as_frame=True).data


def _wine() -> pd.DataFrame:
    from sklearn.datasets import load_wine

    return load_wine(as_frame=True).data


def _diabetes() -> pd.DataFrame:
    from sklearn.datasets import load_diabetes

    return load_diabetes(as_frame=True).data


def _digits() -> pd.DataFrame:
    from sklearn.datasets import load_digits

    return load_digits(as_frame=True).data


def _boston_housing() -> pd.DataFrame:
    from mlxtend.data import boston_housing_data

    names = ["crim", "zn", "indus", "chas", "nox", "rm", "age", "dis", "rad", "tax", "ptratio", "b", "lstat"]
    return pd.DataFrame(boston_housing_data()[0], columns=names)


def _star98() -> pd.DataFrame:
    from statsmodels.datasets import star98

    return star98.load_pandas().data


REAL: dict[str, tuple[str, Callable[[], pd.DataFrame]]] = {
    "breast-cancer": ("scikit-learn", _breast_cancer),
    "wine": ("scikit-learn", _wine),
    "diabetes": ("scikit-learn", _diabetes),
    "digits": ("scikit-learn", _digits),
    "boston-housing": ("mlxtend", _boston_housing),
    "star98": ("statsmodels", _star98),
}
"""By name: the package that ships the table, and how to get it."""
