"""Small tables for the tests of reading."""

import numpy as np
import pandas as pd


def numbers(rows=600, columns=3, seed=0):
    return np.random.default_rng(seed).normal(size=(rows, columns)).astype(np.float32)


def frame(rows=600, names=("a", "b", "c"), seed=0):
    return pd.DataFrame(numbers(rows, len(names), seed), columns=list(names))
