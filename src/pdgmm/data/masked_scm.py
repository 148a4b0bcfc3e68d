"""The data of Xu, Lachapelle and Magliacane (2026): masked latents of a linear SCM, seen through a mixing."""

from dataclasses import dataclass, fields
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from pdgmm.data import masks as mask_rules
from pdgmm.data.base import SampleCounts, Structure, World
from pdgmm.data.mixed_scm import MixedScm
from pdgmm.data.mixing import Mixing
from pdgmm.data.rotation import rotation_matrix
from pdgmm.data.scm import LinearScm
from pdgmm.seeds import child_generator

NO_COMPONENT = -1
"""The component of a sample that no mask was applied to."""


@dataclass(frozen=True)
class MaskedScmWorld(World):
    """Latents of an SCM, each sample masked by a uniformly chosen component, rotated, and mixed.

    ``rotation`` (n, n) and ``noise_std``, the observation noise, are None where there is none.
    """

    scm: LinearScm
    masks: np.ndarray
    translation: np.ndarray
    mixing: Mixing
    rotation: np.ndarray | None = None
    noise_std: float | None = None

    @property
    def n_latents(self) -> int:
        """The number of latents, n."""
        return self.masks.shape[1]

    def sample(self, split: str, count: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
        """Samples of a split; see :meth:`World.sample`.

        ``train`` and ``test`` are masked. ``unmasked`` has every latent active, and component -1.
        ``independent`` draws the latents from the SCM without its edges; its masked entries sit where those
        of ``train`` do, at the translation value of the SCM with edges.
        """
        if split not in SampleCounts.model_fields:
            raise ValueError(f"no split {split!r}; there are {', '.join(SampleCounts.model_fields)}")
        scm = self.scm.without_edges() if split == "independent" else self.scm
        source = scm.sample(count, rng)
        component = np.full(count, NO_COMPONENT, dtype=np.int32)
        if split != "unmasked":
            component = rng.integers(len(self.masks), size=count, dtype=np.int32)
            source = self._in_component(source, component)
        z = self._rotated(source, component)
        x = self.mixing(z)
        if self.noise_std is not None:
            x += rng.normal(scale=self.noise_std, size=x.shape)
        arrays = {"x": x.astype(np.float32), "z": z.astype(np.float32), "component": component}
        if z is not source:
            arrays["source"] = source.astype(np.float32)
        return arrays

    def _in_component(self, source: np.ndarray, component: np.ndarray) -> np.ndarray:
        """What the component of each sample makes of the latents (count, n) that the SCM gave it."""
        return np.where(self.masks[component], source, self.translation)

    def _rotated(self, source: np.ndarray, component: np.ndarray) -> np.ndarray:
        """The latents (count, n) after the rotation; ``source`` itself where there is none."""
        return source if self.rotation is None else source @ self.rotation

    def structure(self) -> Structure:
        """Everything drawn, in float64 so that the mixing can be rebuilt and inverted, and the checks of it.

        Orientation: ``scm/adjacency[i, j]`` and ``scm/weights[i, j]`` are of the edge i -> j. The arrays
        ``mixing/…`` are the fields of :class:`pdgmm.data.mixing.Mixing`. What a subclass adds to the fields of this
        class are further arrays, under their names.
        """
        arrays = {
            "masks": self.masks,
            "scm/adjacency": (self.scm.weights != 0).astype(np.uint8),
            "scm/weights": self.scm.weights,
            "translation": self.translation,
            "mixing/embedding": self.mixing.embedding,
            "mixing/weights": self.mixing.weights,
            "mixing/slopes": self.mixing.slopes,
        }
        if self.rotation is not None:
            arrays["rotation"] = self.rotation
        added = fields(self)[len(fields(MaskedScmWorld)) :]
        arrays |= {field.name: getattr(self, field.name) for field in added}
        facts = {"components": len(self.masks), **self._assumptions()}
        if self.noise_std is not None:
            facts["observation_noise_std"] = self.noise_std
        return Structure(arrays, facts)

    def supports(self) -> tuple[np.ndarray, list[np.ndarray]]:
        """A point (J, n) of the support of each component and the directions (rank_j, n) that span it.

        The support of a component is the rotated translation plus the span of the rotated axes of its active
        latents: any subset of the latents has a covariance of full rank.
        """
        bases = self._bases()
        directions = [basis[mask.astype(bool)] for basis, mask in zip(bases, self.masks, strict=True)]
        return self.translation @ bases, directions

    def _bases(self) -> np.ndarray:
        """The rotated axes of the latents (J, n, n) in every component, one in each row."""
        basis = np.eye(self.n_latents) if self.rotation is None else self.rotation
        return np.broadcast_to(basis, (len(self.masks), *basis.shape))

    def _candidate_basis(self, directions: list[np.ndarray]) -> np.ndarray:
        """The basis (n, n) that spans all supports with its rows, if any does."""
        return self._bases()[0]

    def _assumptions(self) -> dict[str, dict[str, Any]]:
        """The assumptions on the supports, each with ``holds`` and ``why``, checked on the drawn components."""
        points, directions = self.supports()
        meet = mask_rules.common_point(points, directions)
        spanned = mask_rules.spanned_by_subsets(directions, self._candidate_basis(directions))
        standard = mask_rules.spanned_by_subsets(directions, np.eye(self.n_latents))
        through_zero = mask_rules.contain_origin(points, directions)
        inseparable = mask_rules.inseparable_latents(self.masks)
        total = len(self.masks)
        return {
            "assumption_3_6": {
                "holds": bool(meet and spanned.all()),
                "why": f"the supports {'share a' if meet else 'have no common'} point; "
                f"{spanned.sum()} of {total} are spanned by subsets of one basis",
            },
            "assumption_3_8a": {
                "holds": bool(standard.all() and through_zero.all()),
                "why": f"{standard.sum()} of {total} supports are spanned by standard basis vectors; "
                f"{through_zero.sum()} of {total} contain the origin",
            },
            "assumption_3_8b": {
                "holds": not inseparable,
                "why": "the masks without a latent activate all others, for every latent"
                if not inseparable
                else "; ".join(f"{others} never active without {i}" for i, others in inseparable.items()),
            },
        }


class MaskedScm(MixedScm):
    """A linear SCM whose latents are active in some components and constant in others, seen through a mixing.

    The latents of a sample are drawn from the SCM; a component is drawn uniformly, and the latents it masks
    are set to ``delta * std + mean`` of the unmasked SCM; then ``z <- z R`` and ``x = mixing(z)``.
    """

    rho: Literal["1var"] | Annotated[float, Field(gt=0, lt=1)] = Field(
        0.5,
        description='fraction (0 to 1) of the latents that is active in a component, rounded down; "1var": '
        "one latent",
    )
    delta: float = Field(
        0.0,
        description="where masked latents sit: this many standard deviations above the mean of the latent",
    )
    theta: float = Field(
        0.0, description="angle (degrees) of the rotation of the latents in every coordinate plane; 0: none"
    )

    def noiseless(self, seed: int) -> MaskedScmWorld:
        """The world of ``seed`` without observation noise."""
        scm = self.draw_scm(seed)
        return MaskedScmWorld(
            scm=scm,
            masks=self.draw_masks(child_generator(seed, "masks")),
            translation=self.delta * scm.std + scm.mean,
            mixing=self.draw_mixing(seed),
            rotation=rotation_matrix(self.n, self.theta) if self.theta != 0 else None,
        )

    def draw_masks(self, rng: np.random.Generator) -> np.ndarray:
        """Masks (J, n), one a component."""
        return mask_rules.draw_masks(self.n, self.rho, rng)
