"""The parts that worlds are made of, each drawn from a stream of its own: a sweep changes one part only."""

from typing import Protocol

from pdgmm.data.dag import erdos_renyi_dag, random_weights
from pdgmm.data.mixing import Activation, Mixing, random_mixing
from pdgmm.data.scm import LinearScm, NoiseKind
from pdgmm.seeds import child_generator


class MixedScmSettings(Protocol):
    """What the settings of a generator must hold for an SCM and a mixing to be drawn."""

    n: int
    k: int
    m: int
    x_dim: int | None
    noise: NoiseKind
    activation: Activation


def draw_scm(settings: MixedScmSettings, seed: int) -> LinearScm:
    """The SCM of ``seed``: an ER-k graph with random weights."""
    adjacency = erdos_renyi_dag(settings.n, settings.k, child_generator(seed, "dag"))
    return LinearScm(random_weights(adjacency, child_generator(seed, "weights")), settings.noise)


def draw_mixing(settings: MixedScmSettings, seed: int) -> Mixing:
    """The mixing of ``seed``."""
    rng = child_generator(seed, "mixing")
    return random_mixing(settings.n, settings.x_dim or settings.n, settings.m, rng, settings.activation)
