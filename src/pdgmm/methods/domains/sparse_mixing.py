"""What the sparsity of a mixing says about directions that domains leave undetermined."""

import numpy as np

ANGLES = np.linspace(0, np.pi / 2, 90, endpoint=False)
"""Angles tried for every pair; larger ones only exchange the two and change signs."""

SWEEPS = 50


def sparsest_rotation(columns: np.ndarray) -> np.ndarray:
    """The rotation R (k, k) for which ``sum |columns R|`` is smallest; ``columns`` are (x_dim, k).

    Pairs of columns are turned one after the other, each by the best of a grid of angles, until nothing changes.
    """
    turned, rotation = columns.copy(), np.eye(columns.shape[1])
    cosines, sines = np.cos(ANGLES), np.sin(ANGLES)
    for _ in range(SWEEPS):
        moved = False
        for i in range(len(rotation)):
            for j in range(i):
                one, other = turned[:, i, None], turned[:, j, None]
                sizes = np.abs(one * cosines + other * sines) + np.abs(other * cosines - one * sines)
                best = int(sizes.sum(axis=0).argmin())
                if best:
                    moved = True
                    c, s = cosines[best], sines[best]
                    turn = np.array([[c, -s], [s, c]])
                    for matrix in (turned, rotation):
                        matrix[:, [i, j]] = matrix[:, [i, j]] @ turn
        if not moved:
            break
    return rotation
