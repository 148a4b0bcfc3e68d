"""What the settings of methods that are trained by gradient descent have in common."""

from typing import Annotated, Literal

from pydantic import Field

from pdgmm.methods.base import Method

Widths = list[Annotated[int, Field(gt=0)]]
"""Hidden layers from the input on, each as a multiple of the number of latents."""


class GradientTrained(Method):
    """The settings of the training loop; a method gives ``steps`` and ``widths`` its own defaults."""

    published_sizes = ("steps", "batch_size", "widths")

    steps: int = Field(ge=1, description="Training steps.")
    widths: Widths = Field(description="Hidden layers, as multiples of the number of latents.")
    learning_rate: float = Field(1e-4, gt=0, description="Learning rate of Adam.")
    batch_size: int = Field(6144, ge=2, description="Samples per step; all of them where there are fewer.")
    schedule: Literal["constant", "cosine", "linear"] = Field(
        "constant",
        description="Learning rate over the steps: constant, or a fall to 0 along half a cosine or a line.",
    )
    warmup_steps: int = Field(0, ge=0, description="First steps over which the learning rate rises linearly.")
    gradient_clip: float | None = Field(
        None,
        gt=0,
        description="Largest Euclidean norm of the gradient; longer ones are cut. null: no limit.",
    )

    def size(self) -> str:
        """The steps, the samples in each, and the hidden widths: ``2,000 steps of 1,024, widths 5-10-5 n``."""
        widths = f", widths {'-'.join(map(str, self.widths))} n" if self.widths else ""
        return f"{self.steps:,} steps of {self.batch_size:,}{widths}"
