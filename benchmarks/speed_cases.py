"""What is measured: methods, sizes and data."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Case:
    """A method on the base setting with ``n`` latents and ``samples`` training samples.

    ``scaled_to`` is for a recipe too long to be run: it is run for each of the two ``measured_steps``, and what the
    second took more than the first gives the cost of a step, free of what every fit pays once. The result is
    marked as extrapolated.

    ``doubled_steps`` (first, most) is for a recipe of which nobody knows how many steps it needs: stage 2 is fitted
    anew with twice the steps until its MCC reaches that of ``spike_slab`` on the same data.
    """

    group: str
    stage1: str
    stage2: str
    n: int = 10
    samples: int = 100_000
    settings1: dict[str, Any] = field(default_factory=dict)
    settings2: dict[str, Any] = field(default_factory=dict)
    measured_steps: tuple[int, int] | None = None
    scaled_to: int | None = None
    doubled_steps: tuple[int, int] | None = None
    minutes: bool = False
    """Whether it takes minutes; left out by a quick benchmark."""

    @property
    def method(self) -> str:
        """``<stage1>+<stage2>``."""
        return f"{self.stage1}+{self.stage2}"


REDUCED_STAGE2 = {
    "widths": [5, 20, 20, 20, 20, 5],
    "batch_size": 512,
    "learning_rate": 2.5e-4,
    "dual_learning_rate": 1.25e-4,
    "extragradient": False,
    "standardise": True,
}
"""The paper's stage 2 as the default study has it, but for its steps."""

CASES = [
    *(Case("affine", "identity", method, n=n) for n in (10, 20, 40) for method in ("fastica", "spike_slab")),
    *(
        Case(
            "affine",
            "identity",
            "lagrangian",
            n=n,
            measured_steps=(20, 120),
            scaled_to=80_000,
        )
        for n in (10, 20, 40)
    ),
    Case(
        "affine",
        "identity",
        "lagrangian",
        settings2=REDUCED_STAGE2,
        doubled_steps=(5_000, 40_000),
        minutes=True,
    ),
    Case("stage 1", "autoencoder", "none", measured_steps=(2, 6), scaled_to=5_000),
    *(Case("growth with n", "flow", "spike_slab", n=n, minutes=n > 10) for n in (5, 10, 20, 40, 100)),
    *(
        Case("growth with samples", "flow", "spike_slab", samples=samples, minutes=samples > 100_000)
        for samples in (1_000, 10_000, 100_000, 1_000_000)
    ),
]
