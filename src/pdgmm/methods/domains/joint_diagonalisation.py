"""One linear map that makes the covariances of all domains diagonal.

If the latents are Gaussian and independent in every domain, with means and variances that depend on the domain, it is
the linear map of maximum likelihood: the variances have a closed form, and what remains is the criterion of Pham
(2001).
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh

SWEEPS = 500
TOLERANCE = 1e-9
"""The search ends when the largest entry of the relative gradient is below this."""


@dataclass(frozen=True)
class JointDiagonals:
    """``unmixing`` W (n, n) and ``variances`` (U, n), the diagonals of ``W C_u W^T``."""

    unmixing: np.ndarray
    variances: np.ndarray
    converged: bool


def criterion(unmixing: np.ndarray, covariances: np.ndarray, shares: np.ndarray) -> float:
    """``1/2 sum_u p_u sum_i log (W C_u W^T)_ii - log |det W|``: the negative log-likelihood up to a constant.

    ``covariances`` are (U, n, n), ``shares`` p (U,).
    """
    diagonals = np.einsum("ij,ujk,ik->ui", unmixing, covariances, unmixing)
    return float(0.5 * shares @ np.log(diagonals).sum(axis=1) - np.linalg.slogdet(unmixing)[1])


def diagonalise_two(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """W with ``W C_1 W^T = diag`` and ``W C_2 W^T = 1``: generalised eigenvectors, exact and in closed form."""
    return eigh(first, second)[1].T


def jointly_diagonalise(covariances: np.ndarray, shares: np.ndarray) -> JointDiagonals:
    """The W with the smallest :func:`criterion` for covariances (U, n, n).

    With two covariances: generalised eigenvectors. With more: quasi-Newton steps ``W <- (1 + E) W`` (Ablin, Cardoso
    and Gramfort, 2019), started from the generalised eigenvectors of each domain against the mean; the best result
    is kept.
    """
    if len(covariances) == 2:
        unmixing, converged = diagonalise_two(*covariances), True
    else:
        mean = np.einsum("u,ujk->jk", shares, covariances)
        ends = [_descend(diagonalise_two(one, mean), covariances, shares) for one in covariances]
        unmixing, converged = min(ends, key=lambda end: criterion(end[0], covariances, shares))
    variances = np.einsum("ij,ujk,ik->ui", unmixing, covariances, unmixing)
    scale = np.sqrt(shares @ variances)
    return JointDiagonals(unmixing / scale[:, None], variances / scale**2, converged)


def _descend(unmixing: np.ndarray, covariances: np.ndarray, shares: np.ndarray) -> tuple[np.ndarray, bool]:
    identity = np.eye(len(unmixing))
    value = criterion(unmixing, covariances, shares)
    for _ in range(SWEEPS):
        turned = unmixing @ covariances @ unmixing.T
        diagonals = np.einsum("uii->ui", turned)
        gradient = np.einsum("u,uij,ui->ij", shares, turned, 1 / diagonals) - identity
        if np.abs(gradient).max() < TOLERANCE:
            return unmixing, True
        # If all transformed covariances are diagonal, the Hessian couples only E_ij and E_ji: h_ij E_ij + E_ji.
        ratios = np.einsum("u,uj,ui->ij", shares, diagonals, 1 / diagonals)
        determinant = np.maximum(ratios * ratios.T - 1, 1e-2)
        step = -(ratios.T * gradient - gradient.T) / determinant
        np.fill_diagonal(step, 0.0)
        for _ in range(30):
            moved = unmixing + step @ unmixing
            if (new := criterion(moved, covariances, shares)) < value:
                break
            step = step / 2
        else:
            # Only rounding errors are left.
            return unmixing, bool(np.abs(gradient).max() < 1e-5)
        unmixing, value = moved, new
    return unmixing, False
