"""Small tables for the tests of reading."""

import h5py
import numpy as np
import pandas as pd


def numbers(rows=600, columns=3, seed=0):
    return np.random.default_rng(seed).normal(size=(rows, columns)).astype(np.float32)


def frame(rows=600, names=("a", "b", "c"), seed=0):
    return pd.DataFrame(numbers(rows, len(names), seed), columns=list(names))


def write_h5ad(path, matrix, *, var="_index", genes=("g1", "g2", "g3")):
    with h5py.File(path, "w") as file:
        if isinstance(matrix, np.ndarray):
            file["X"] = matrix
        else:
            for name in ("data", "indices", "indptr"):
                file[f"X/{name}"] = getattr(matrix, name)
            file["X"].attrs["encoding-type"] = f"{matrix.format}_matrix"
            file["X"].attrs["shape"] = matrix.shape
        file[f"var/{var}"] = np.array(genes, dtype=object)
        file["var"].attrs["_index"] = var
        file["obs/_index"] = np.array([f"cell {k}" for k in range(matrix.shape[0])], dtype=object)
        file["obs"].attrs["_index"] = "_index"
        file["obsm/X_pca"] = numbers(matrix.shape[0], 2)
