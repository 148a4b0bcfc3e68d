"""Datasets with known truth on which `pdgmm fit` must say which latents it can be trusted with."""

from dataclasses import dataclass, field
from typing import Any

OBEY, VIOLATE, NOISE = "assumptions hold", "an assumption is violated", "Gaussian noise"


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


# Mostly more than five latents: with fewer, every fit trains twice. The rules were made on other worlds.
CASES = [
    *_worlds(OBEY, "pdgmm", 4, 2100, n=4, k=1, m=1),
    *_worlds(OBEY, "pdgmm", 7, 2200, n=6, k=1, m=3),
    *_worlds(OBEY, "pdgmm", 7, 2300, n=6, k=0, m=10),
    *_worlds(OBEY, "pdgmm", 6, 2400, n=8, k=1, m=10),
    *_worlds(OBEY, "pdgmm", 6, 2500, n=6, k=2, m=10),
    *_worlds(VIOLATE, "gmm", 4, 2600, n=6, m=3),
    *_worlds(VIOLATE, "blocks", 4, 2700, n=6, m=3, blocks=[1, 1, 2, 2]),
    *_worlds(VIOLATE, "pdgmm", 4, 2800, n=6, m=3, noise="exponential"),
    *_worlds(VIOLATE, "pdgmm", 2, 2850, n=4, m=1, noise="exponential"),
    *_worlds(VIOLATE, "pdgmm", 3, 2900, n=6, m=3, noise="gumbel"),
    *_worlds(VIOLATE, "pdgmm", 3, 2950, n=6, m=2, activation="sigmoid"),
    *(Case(f"noise-{seed}", NOISE, None, seed, n=6 + seed) for seed in range(5)),
]
