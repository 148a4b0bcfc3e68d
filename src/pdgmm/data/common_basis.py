"""Whether subspaces share a basis: the second half of Assumption 3.6, where no basis is known beforehand."""

from collections.abc import Sequence

import numpy as np

from pdgmm.data.masks import spanned_by_subsets

NULL = 1e-9
"""Eigenvalues below this share of the largest one are zero."""


def common_basis(directions: Sequence[np.ndarray], rng: np.random.Generator) -> np.ndarray | None:
    """A basis (n, n), in rows, of which subsets span every ``span(directions[j])``, or None if there is none.

    ``directions[j]`` is (rank_j, n) with linearly independent rows. The matrices X that map every subspace S_j
    into itself, ``S_j X ⊆ S_j``, form a linear space. If a common basis exists, X may have it as eigenvectors,
    with any eigenvalues, so almost every X of that space has n different eigenvalues. Conversely, a subspace
    that such an X maps into itself is spanned by eigenvectors of X. So the (real and imaginary parts of the)
    eigenvectors of a random X are a common basis, almost surely, or there is none.
    """
    n = directions[0].shape[1]
    keeping = _maps_into_themselves(directions)
    values, left = np.linalg.eig(np.tensordot(rng.standard_normal(len(keeping)), keeping, axes=1).T)
    # A complex pair of eigenvalues has conjugate vectors; both parts of one of them span the same plane.
    real = left.real[:, values.imag >= 0]
    basis = np.column_stack([real, left.imag[:, values.imag > 0]]).T
    if len(basis) != n or np.linalg.matrix_rank(basis) < n:
        return None
    return basis if spanned_by_subsets(directions, basis, tolerance=1e-6).all() else None


def _maps_into_themselves(directions: Sequence[np.ndarray]) -> np.ndarray:
    """A basis (count, n, n) of the matrices X with ``S_j X ⊆ S_j``, that is ``P_j X (I - P_j) = 0``, for all j.

    With ``vec`` row by row, ``|P X (I - P)|^2 = vec(X)^T [P ⊗ (I - P)] vec(X)`` for a projection P.
    """
    n = directions[0].shape[1]
    total = np.zeros((n * n, n * n))
    for rows in directions:
        projection = np.linalg.pinv(rows) @ rows
        total += np.kron(projection, np.eye(n) - projection)
    values, vectors = np.linalg.eigh(total)
    return vectors[:, values <= NULL * max(values[-1], 1.0)].T.reshape(-1, n, n)
