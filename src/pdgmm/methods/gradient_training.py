"""What the settings of methods that are trained by gradient descent have in common."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from pdgmm.fitting.run import Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods.base import Method

if TYPE_CHECKING:
    import torch
    from torch import nn

    from pdgmm.fitting.learners import Learner

Layers = list[Annotated[int, Field(gt=0)]]
"""Hidden layers, starting from the input: units, or multiples of the number of latents."""

LearningRate = Annotated[float, Field(gt=0, description="Learning rate of Adam.")]
BatchSize = Annotated[int, Field(ge=2, description="Samples per step; all of them if there are fewer.")]
Schedule = Annotated[
    Literal["constant", "cosine", "linear"],
    Field(
        description="Learning rate over the steps: constant, or falling to 0 along half a cosine or a line."
    ),
]
GradientClip = Annotated[
    float | None,
    Field(
        gt=0,
        description="Largest Euclidean norm of the gradient; longer gradients are scaled down. null: no limit.",
    ),
]


class GradientTrained(Method):
    """The settings of the training loop; a method gives ``steps`` and ``widths`` its own defaults."""

    published_sizes = ("steps", "batch_size", "widths")

    steps: int = Field(ge=1, description="Training steps.")
    widths: Layers = Field(description="Hidden layers, as multiples of the number of latents.")
    learning_rate: LearningRate = 1e-4
    batch_size: BatchSize = 6144
    schedule: Schedule = "constant"
    warmup_steps: int = Field(
        0, ge=0, description="Number of first steps over which the learning rate rises linearly."
    )
    gradient_clip: GradientClip = None

    def train(
        self,
        learner: "Learner",
        norm: "nn.BatchNorm1d",
        forward: "Callable[[torch.Tensor], Any]",
        data: Samples,
        run: Run,
    ) -> dict[str, float]:
        """Train, then settle ``norm`` with samples sent through ``forward(x)``; returns the last metrics."""
        from pdgmm.fitting.networks import settle_batch_norm
        from pdgmm.fitting.training_loop import train

        last = train(
            learner,
            data,
            steps=self.steps,
            batch_size=self.batch_size,
            run=run,
            schedule=self.schedule,
            warmup_steps=self.warmup_steps,
        )
        settle_batch_norm(norm, forward, data, batch_size=self.batch_size, seed=run.seed)
        return last

    def size(self) -> str:
        """The steps, the samples in each, and the hidden widths: ``2,000 steps of 1,024, widths 5-10-5 n``."""
        widths = f", widths {'-'.join(map(str, self.widths))} n" if self.widths else ""
        same = ", in place of the paper's size" if self.is_stand_in() else ""
        return f"{self.steps:,} steps of {self.batch_size:,}{widths}{same}"
