"""Settings that several generators have in common: type, bounds and description, without the default."""

from typing import Annotated

from pydantic import Field

from pdgmm.data.mixing import Activation
from pdgmm.data.scm import NoiseKind

LatentCount = Annotated[int, Field(ge=2, description="number of latent variables")]
EdgesPerLatent = Annotated[
    int,
    Field(ge=0, description="edges per latent of the causal graph: n * k edges in all, at most n(n-1)/2"),
]
MixingLayers = Annotated[
    int, Field(ge=1, description="number of linear layers of the mixing; 1 is a linear mixing")
]
RotationAngle = Annotated[
    float,
    Field(description="angle (degrees) of the rotation of the latents in every coordinate plane; 0: none"),
]
ObservedDimension = Annotated[
    int | None, Field(description="dimension of the observation, at least n; null: n")
]
ScmNoise = Annotated[
    NoiseKind,
    Field(description="noise of the SCM: gauss (variance 1), exponential (rate 1) or gumbel (standard)"),
]
MixingActivation = Annotated[
    Activation,
    Field(
        description="activation between the mixing layers, with a ~ U(0.5, 1.5) per layer: leaky, "
        "max(a h, h); smooth_leaky, a h + (1 - a) log(1 + e^h); or sigmoid, which shrinks x at least "
        "fourfold per layer: to the precision of float32 at m = 10, to a constant at m = 20"
    ),
]
ObservationNoise = Annotated[
    float | None,
    Field(
        description="signal-to-noise ratio (dB) of Gaussian noise added to x, relative to the variance of "
        "the clean x averaged over its coordinates; null: no noise"
    ),
]


def check_observed_dimension(n: int, x_dim: int | None) -> None:
    """Raises a ``ValueError`` where the observation is too small to hold the latents."""
    if x_dim is not None and x_dim < n:
        raise ValueError(
            f"x_dim={x_dim} is less than n={n}: {n} latents cannot be recovered from fewer observed numbers; "
            f"use x_dim >= {n} or leave it out"
        )
