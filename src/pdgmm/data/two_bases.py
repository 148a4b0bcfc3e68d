"""Components in two different bases: a violation of Assumption 3.6."""

from dataclasses import dataclass

import numpy as np
from pydantic import Field

from pdgmm.data.common_basis import common_basis
from pdgmm.data.masked_scm import MaskedScm, MaskedScmWorld
from pdgmm.data.rotation import rotation_matrix
from pdgmm.seeds import child_generator


@dataclass(frozen=True, kw_only=True)
class TwoBasesWorld(MaskedScmWorld):
    """Where ``in_second_basis`` (J,) is 1, ``second_rotation`` (n, n) takes the place of ``rotation``.

    A sample without a component (split ``unmasked``) is in the first basis.
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
        # The check is a property of the supports: any stream of random numbers gives the same answer.
        found = common_basis(directions, np.random.default_rng(0))
        return super()._bases()[0] if found is None else found


class TwoBases(MaskedScm):
    """Like ``pdgmm``, but half of the components, drawn at random, are rotated by another angle.

    There is then no basis of which subsets span all supports, so that the latents can be recovered up to an
    affine map within each component only: Xu, Lachapelle and Magliacane (2026), appendix E.3.
    """

    second_theta: float = Field(
        45.0,
        description="angle (degrees) of the rotation of the second half of the components, in place of theta",
    )

    def noiseless(self, seed: int) -> TwoBasesWorld:
        """The world of ``seed`` without observation noise."""
        world = super().noiseless(seed)
        components = len(world.masks)
        in_second = np.zeros(components, dtype=np.uint8)
        order = child_generator(seed, "second basis").permutation(components)
        in_second[order[: components // 2]] = 1
        second = rotation_matrix(self.n, self.second_theta)
        return TwoBasesWorld(**vars(world), second_rotation=second, in_second_basis=in_second)
