"""What changes over the steps of a flow's training."""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class FlowSchedule:
    """Learning rate, spike width and turns as functions of the step, from 1 to ``steps``.

    A turn is a new search for the affine solution on the flow's present code. ``turning`` is the share of the
    steps, at the beginning, in which turns take place.
    """

    steps: int
    warmup_steps: int = 50
    first_width: float = 0.3
    last_width: float = 0.05
    turns: int = 3
    turning: float = 0.6

    def learning_rate_factor(self, step: int) -> float:
        """Rises linearly for a short time, is 1 until a tenth of the steps, then falls to 0 along half a cosine."""
        done = step / self.steps
        fall = 1.0 if done < 0.1 else 0.5 * (1 + math.cos(math.pi * (done - 0.1) / 0.9))
        return min(1.0, step / (self.warmup_steps + 1)) * fall

    def narrowest_width(self, step: int) -> float:
        """The smallest width of the spikes in slab scales; it falls geometrically over 60 % of the steps."""
        share = min(1.0, step / (0.6 * self.steps))
        return self.first_width * (self.last_width / self.first_width) ** share

    def is_turn(self, step: int) -> bool:
        """Whether there is a turn before ``step``; turns are equally spaced."""
        return any(
            step == round(self.turning * self.steps * turn / self.turns) for turn in range(1, self.turns + 1)
        )
