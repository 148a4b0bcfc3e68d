"""The rotation that moves the latents away from the standard basis."""

from itertools import combinations

import numpy as np


def rotation_matrix(n: int, theta: float) -> np.ndarray:
    """``R`` (n, n): the product of the plane rotations by ``theta`` degrees in all n(n-1)/2 planes.

    The planes (i, j), i < j, are taken in lexicographic order, and R acts on rows: ``z <- z R``. In the plane
    (i, j) the row ``e_i`` becomes ``cos e_i - sin e_j``.
    """
    cosine, sine = np.cos(np.deg2rad(theta)), np.sin(np.deg2rad(theta))
    in_plane = np.array([[cosine, -sine], [sine, cosine]])
    rotation = np.eye(n)
    for plane in combinations(range(n), 2):
        # Multiplying by a plane rotation from the right changes two columns only.
        rotation[:, plane] = rotation[:, plane] @ in_plane
    return rotation
