"""When the appliances of a household are on: arrays (minutes,) of True and False, drawn day by day."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

DAY = 24 * 60
"""Minutes."""


@dataclass(frozen=True)
class Use:
    """On most days (``chance``) it is switched on around ``hour``, give or take ``spread`` minutes.

    It stays on for a number of minutes between the two of ``minutes``.
    """

    hour: float
    spread: float
    chance: float
    minutes: tuple[int, int]


def uses(rng: np.random.Generator, days: int, each_day: Sequence[Use]) -> np.ndarray:
    """On during the uses of every day."""
    on = np.zeros(days * DAY, dtype=bool)
    for day in range(days):
        for use in each_day:
            begin = round(day * DAY + 60 * use.hour + use.spread * rng.standard_normal())
            length = rng.integers(use.minutes[0], use.minutes[1] + 1)
            if rng.random() < use.chance:
                on[max(begin, 0) : max(begin + length, 0)] = True
    return on


def cycles(
    rng: np.random.Generator, days: int, on_for: tuple[int, int], off_for: tuple[int, int]
) -> np.ndarray:
    """On and off in turn, as a thermostat switches, each for a number of minutes between the two given."""
    on = np.zeros(days * DAY, dtype=bool)
    minute = int(rng.integers(0, off_for[1]))
    while minute < len(on):
        length = int(rng.integers(on_for[0], on_for[1] + 1))
        on[minute : minute + length] = True
        minute += length + int(rng.integers(off_for[0], off_for[1] + 1))
    return on


def after(
    rng: np.random.Generator,
    first: np.ndarray,
    chance: float,
    begins: tuple[int, int],
    outlasts: tuple[int, int],
) -> np.ndarray:
    """On in some uses of another appliance (``chance``): switched on a little later, and off a little later."""
    on = np.zeros_like(first)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], first, [False]]).astype(int)))
    for begin, end in edges.reshape(-1, 2):
        late, longer = rng.integers(begins[0], begins[1] + 1), rng.integers(outlasts[0], outlasts[1] + 1)
        if rng.random() < chance:
            on[begin + late : end + longer] = True
    return on
