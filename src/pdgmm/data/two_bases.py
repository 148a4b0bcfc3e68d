"""Components in two different bases: a violation of Assumption 3.6."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from pydantic import Field

from pdgmm.data.masked_scm import MaskedScm, MaskedScmWorld
from pdgmm.data.masks import spanned_by_subsets
from pdgmm.data.scm import rotation_matrix
from pdgmm.seeds import child_generator

NULL = 1e-9
"""Eigenvalues below this share of the largest one count as zero."""


@dataclass(frozen=True, kw_only=True)
class TwoBasesWorld(MaskedScmWorld):
    """Components with a 1 in ``in_second_basis`` (J,) use ``second_rotation`` (n, n) instead of ``rotation``.

    Samples without a component (split ``unmasked``) are in the first basis.
    """

    second_rotation: np.ndarray
    in_second_basis: np.ndarray

    def _rotated(self, source: np.ndarray, component: np.ndarray) -> np.ndarray:
        second = (component >= 0) & (self.in_second_basis[component] == 1)
        first = super()._rotated(source, component)
        return np.where(second[:, None], source @ self.second_rotation, first)

    def _bases(self) -> np.ndarray:
        return np.where(self.in_second_basis[:, None, None], self.second_rotation, super()._bases())

    def _candidate_basis(self, directions: list[np.ndarray]) -> np.ndarray:
        # The result only depends on the supports: any stream of random numbers gives the same answer.
        found = common_basis(directions, np.random.default_rng(0))
        return super()._bases()[0] if found is None else found


class TwoBases(MaskedScm):
    """Like ``pdgmm``, but half of the components, drawn at random, are rotated by another angle.

    There is then no basis of which subsets span all supports, so that the latents can be recovered up to an
    affine map within each component only: Xu, Lachapelle and Magliacane (2026), appendix E.3.
    """

    second_theta: float = Field(
        45.0,
        description="angle (degrees) of the rotation of the second half of the components, instead of theta",
    )

    def noiseless(self, seed: int) -> TwoBasesWorld:
        world = super().noiseless(seed)
        components = len(world.masks)
        in_second = np.zeros(components, dtype=np.uint8)
        order = child_generator(seed, "second basis").permutation(components)
        in_second[order[: components // 2]] = 1
        second = rotation_matrix(self.n, self.second_theta)
        return TwoBasesWorld(**vars(world), second_rotation=second, in_second_basis=in_second)


def common_basis(directions: Sequence[np.ndarray], rng: np.random.Generator) -> np.ndarray | None:
    """A basis (n, n), in rows, such that subsets of it span every ``span(directions[j])``; None if there is none.

    ``directions[j]`` is (rank_j, n) with linearly independent rows. The matrices X that map every subspace S_j into
    itself, ``P_j X (I - P_j) = 0`` with the projection P_j on S_j, form a linear space; with ``vec`` row by row,
    ``|P X (I - P)|^2 = vec(X)^T [P ⊗ (I - P)] vec(X)``. If a common basis exists, X may have it as eigenvectors, with
    any eigenvalues, so almost every X of that space has n different eigenvalues. Conversely, a subspace that such an
    X maps into itself is spanned by eigenvectors of X. So the (real and imaginary parts of the) eigenvectors of a
    random X are a common basis, almost surely, or there is none.
    """
    n = directions[0].shape[1]
    total = np.zeros((n * n, n * n))
    for rows in directions:
        projection = np.linalg.pinv(rows) @ rows
        total += np.kron(projection, np.eye(n) - projection)
    values, vectors = np.linalg.eigh(total)
    keeping = vectors[:, values <= NULL * max(values[-1], 1.0)].T.reshape(-1, n, n)
    values, left = np.linalg.eig(np.tensordot(rng.standard_normal(len(keeping)), keeping, axes=1).T)
    # A complex pair of eigenvalues has conjugate vectors; the real and imaginary part of one span the same plane.
    real = left.real[:, values.imag >= 0]
    basis = np.column_stack([real, left.imag[:, values.imag > 0]]).T
    if len(basis) != n or np.linalg.matrix_rank(basis) < n:
        return None
    return basis if spanned_by_subsets(directions, basis, tolerance=1e-6).all() else None
