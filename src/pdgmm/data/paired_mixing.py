"""A sparse mixing: every observed coordinate depends on exactly two latents."""

from dataclasses import dataclass

import numpy as np

UNITS = 6
"""Hidden units of the network of one output."""

SLOPE = 0.2
"""Slope of the leaky ReLUs below zero."""


@dataclass(frozen=True)
class PairedMixing:
    """Output o is ``sum_h v_oh leaky(w_oh . (z_a, z_b) + b_oh)`` with ``(a, b) = pairs[o]``, then a ``rotation``.

    Shapes: ``pairs`` (outputs, 2), ``inner`` w (outputs, UNITS, 2), ``bends`` b and ``outer`` v (outputs, UNITS),
    ``rotation`` (outputs, outputs) or None. All ``v_oh w_oh`` of an output have the same two signs, so the output is
    monotone in both parents. Where two outputs share a pair, one rises in both parents and the other one falls in
    the first: their Jacobian is a P-matrix, and the two outputs determine the pair (Gale and Nikaido, 1965).
    """

    pairs: np.ndarray
    inner: np.ndarray
    bends: np.ndarray
    outer: np.ndarray
    rotation: np.ndarray | None = None

    def __call__(self, z: np.ndarray) -> np.ndarray:
        """Observations (count, outputs), float64, of latents (count, n)."""
        parents = np.asarray(z, dtype=np.float64)[:, self.pairs]
        h = np.einsum("top,ohp->toh", parents, self.inner) + self.bends
        x = np.einsum("toh,oh->to", np.where(h > 0, h, SLOPE * h), self.outer)
        return x if self.rotation is None else x @ self.rotation.T

    def support(self, n: int) -> np.ndarray:
        """(outputs, n) ones where an observed coordinate depends on a latent."""
        found = np.zeros((len(self.pairs), n), dtype=np.uint8)
        np.put_along_axis(found, self.pairs, 1, axis=1)
        return found if self.rotation is None else np.ones_like(found)


def ring_pairs(n: int) -> np.ndarray:
    """(2n, 2) pairs for even n: each latent with the next one, and, twice, with the one n/2 further on.

    No two latents have the same children, and for every latent there are outputs whose parents share only it.
    """
    first = np.arange(n)
    return np.concatenate([np.stack([first, (first + shift) % n], axis=1) for shift in (1, n // 2)])


def twin_pairs(n: int) -> np.ndarray:
    """(2n, 2) pairs for even n: latents 2k and 2k + 1 share all their four children."""
    return np.repeat(np.arange(n).reshape(-1, 2), 4, axis=0)


def random_paired_mixing(
    pairs: np.ndarray, z: np.ndarray, rng: np.random.Generator, *, rotated: bool = False
) -> PairedMixing:
    """A mixing of these ``pairs`` (outputs, 2) that bends where the latents ``z`` (count, n) are.

    Each output has variance 1 on ``z``, whose latents are scaled by their deviations first.
    """
    count = len(pairs)
    # The second of two outputs of the same pair, in whatever order the pair is written, falls in its first parent.
    seen: dict[tuple[int, ...], int] = {}
    signs = np.ones((count, 2))
    for output, pair in enumerate(pairs):
        key = tuple(sorted(pair.tolist()))
        seen[key] = seen.get(key, 0) + 1
        if seen[key] % 2 == 0:
            signs[output, int(np.argmin(pair))] = -1
    inner = rng.uniform(0.5, 1.5, size=(count, UNITS, 2)) * signs[:, None, :] / z.std(axis=0)[pairs][:, None]
    bent = rng.choice([-1.0, 1.0], size=(count, UNITS))
    inner *= bent[..., None]
    outer = rng.uniform(0.5, 1.5, size=(count, UNITS)) * bent
    inside = np.einsum("top,ohp->toh", z[:, pairs], inner)
    bends = rng.uniform(-1, 1, size=(count, UNITS)) * inside.std(axis=0) - inside.mean(axis=0)
    plain = PairedMixing(pairs, inner, bends, outer)
    outer = outer / plain(z).std(axis=0)[:, None]
    rotation = np.linalg.qr(rng.normal(size=(count, count)))[0] if rotated else None
    return PairedMixing(pairs, inner, bends, outer, rotation)
