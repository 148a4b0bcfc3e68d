"""Datasets with known truth on which `pdgmm fit` must say which latents it can be trusted with."""

from dataclasses import dataclass, field
from typing import Any

AFFINE, BENT, VIOLATE, NOISE = (
    "affine mixing, assumptions hold",
    "bent mixing, assumptions hold",
    "an assumption is violated",
    "Gaussian noise",
)
GROUPS = (AFFINE, BENT, VIOLATE, NOISE)


@dataclass(frozen=True)
class Case:
    """A world of a generator (``None``: Gaussian noise in ``n`` directions), drawn with ``seed``."""

    name: str
    group: str
    generator: str | None
    seed: int
    settings: dict[str, Any] = field(default_factory=dict)
    n: int = 5


def _worlds(group: str, generator: str, count: int, first_seed: int, **settings: Any) -> list[Case]:
    label = "-".join([generator, *(f"{key}{value}" for key, value in settings.items())])
    label = label.translate(str.maketrans("", "", " []',{}"))
    return [
        Case(f"{label}-{seed}", group, generator, seed, settings)
        for seed in range(first_seed, first_seed + count)
    ]


# The rules were made on other worlds.
CASES = [
    *_worlds(AFFINE, "pdgmm", 4, 3100, n=4, k=1, m=1),
    *_worlds(AFFINE, "pdgmm", 4, 3120, n=6, k=0, m=1),
    *_worlds(AFFINE, "pdgmm", 4, 3140, n=8, k=2, m=1),
    *_worlds(BENT, "pdgmm", 2, 3180, n=4, k=1, m=3),
    *_worlds(BENT, "pdgmm", 5, 3200, n=6, k=1, m=3),
    *_worlds(BENT, "pdgmm", 4, 3300, n=6, k=0, m=10),
    *_worlds(BENT, "pdgmm", 4, 3400, n=8, k=1, m=10),
    *_worlds(BENT, "pdgmm", 4, 3500, n=6, k=2, m=10),
    *_worlds(VIOLATE, "gmm", 4, 3600, n=6, m=3),
    *_worlds(VIOLATE, "blocks", 4, 3700, n=6, m=3, blocks=[1, 1, 2, 2]),
    *_worlds(VIOLATE, "pdgmm", 4, 3800, n=6, m=3, noise="exponential"),
    *_worlds(VIOLATE, "pdgmm", 2, 3850, n=4, m=1, noise="exponential"),
    *_worlds(VIOLATE, "pdgmm", 2, 3880, n=8, m=3, noise="exponential"),
    *_worlds(VIOLATE, "pdgmm", 3, 3900, n=6, m=3, noise="gumbel"),
    *_worlds(VIOLATE, "pdgmm", 3, 3950, n=6, m=2, activation="sigmoid"),
    *(Case(f"noise-{seed}", NOISE, None, seed, n=6 + seed) for seed in range(5)),
]

FLOWS = 1
"""Flows, which take minutes a world, are fitted to so many of every kind."""


def fitted_with_flows() -> list[Case]:
    """The worlds that flows are fitted to: the first ones of every kind."""
    kinds: dict[str, list[Case]] = {}
    for case in CASES:
        kinds.setdefault(case.name.rpartition("-")[0], []).append(case)
    return [case for kind in kinds.values() for case in kind[:FLOWS]]
