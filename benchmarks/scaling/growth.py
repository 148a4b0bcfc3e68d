"""How a cost grows with a size."""

import math
import statistics
from collections.abc import Sequence


def exponent(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """The ``a`` of the least-squares fit ``log cost = a log size + b``: 1 is linear growth."""
    logs = [[math.log(value) for value in values] for values in (sizes, costs)]
    return statistics.linear_regression(*logs).slope


def in_words(growth: float) -> str:
    """What an exponent means; a tenth more or less is within what times vary."""
    if growth < 0.9:
        return "less than linear"
    return "linear" if growth <= 1.1 else "more than linear"
