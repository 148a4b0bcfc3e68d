"""What is measured: methods, sizes and data."""

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from scaling.yardstick import SIZE

from pdgmm.methods.autoencoder import Autoencoder


@dataclass(frozen=True)
class Case:
    """A chain of methods on the base setting with ``n`` latents and ``samples`` training samples.

    ``settings`` are those of its last method. ``scaled_to`` is for a training that is too long to run: it is run
    with each of the two numbers of ``measured_steps``, and the difference of the two times gives the time per step,
    without what every fit does once. The result is marked as extrapolated. ``note`` is printed beside the result.
    """

    group: str
    method: str
    n: int = 10
    samples: int = 100_000
    settings: dict[str, Any] = field(default_factory=dict)
    measured_steps: tuple[int, int] | None = None
    scaled_to: int | None = None
    note: str = ""
    minutes: bool = False
    """Whether it takes minutes; left out by a quick benchmark."""


FEWER_STEPS = {
    "steps": 12_500,
    "batch_size": 2048,
    "learning_rate": 6e-4,
    "dual_learning_rate": 3e-4,
    "extragradient": False,
}
"""The paper's stage 2 as in the default study."""

FLOW = "flow+spike_slab"
LATENTS = (10, 20, 40)
CASES = [
    *(Case("affine", method, n=n) for n in LATENTS for method in ("fastica", "spike_slab")),
    *(Case("affine", "lagrangian", n=n, measured_steps=(20, 120), scaled_to=80_000) for n in LATENTS),
    Case("affine", "lagrangian", settings=FEWER_STEPS, note="as in the default study", minutes=True),
    Case("stage 1", "autoencoder", measured_steps=(2, 6), scaled_to=5_000),
    Case(
        "stage 1, bfloat16",
        "autoencoder",
        settings={"precision": "bfloat16"},
        note="products in bfloat16",
        measured_steps=(2, 6),
        scaled_to=5_000,
    ),
    *(Case("growth with n", FLOW, n=n, minutes=n > 10) for n in (5, 10, 20, 40)),
    *(
        Case("growth with samples", FLOW, samples=samples, minutes=samples > 100_000)
        for samples in (1_000, 10_000, 100_000, 1_000_000)
    ),
]


def stage1_products(n: int) -> float:
    """The matrix products of the paper's stage 1 with ``n`` latents, in yardsticks.

    A weight multiplies and adds once in the forward pass and twice in the backward pass, for every sample of a batch.
    """
    settings = Autoencoder()
    sizes = [n, *(width * n for width in settings.widths), n]
    weights = 2 * sum(before * after for before, after in pairwise(sizes))  # of the encoder and the decoder
    return 3 * weights * settings.batch_size * settings.steps / SIZE**3
