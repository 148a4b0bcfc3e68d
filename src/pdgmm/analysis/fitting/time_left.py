"""How long the rest of a study will take, from what was done of it by now."""

import time
from collections.abc import Callable


class TimeLeft:
    """Work in parts of known weights. A part that an earlier call left is no work and says nothing of the speed."""

    def __init__(self, total: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._start = clock()
        self._left = total
        self._worked = 0.0

    def done(self, weight: float, loaded: bool = False) -> None:
        """A part is done, or was ``loaded``."""
        self._left -= weight
        self._worked += 0.0 if loaded else weight

    @property
    def elapsed(self) -> float:
        """Seconds since the beginning."""
        return self._clock() - self._start

    @property
    def seconds(self) -> float | None:
        """Seconds left, as fast as so far; None where nothing was worked on yet."""
        return self.elapsed / self._worked * max(self._left, 0.0) if self._worked > 0 else None
