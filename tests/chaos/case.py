"""What one kind of failure gave."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    """How often a failure was caused (``tried``), how often the project did not stand it, and what got lost.

    ``data_lost`` counts files that stood under their final name with other content than an undisturbed run gives
    them; ``None`` where the case does not touch files. ``note`` says what was left out, and why.
    """

    name: str
    tried: int
    failures: int
    data_lost: int | None
    seconds: float
    note: str = ""


@dataclass(frozen=True)
class Measured:
    """A case with the command that gave it, the machine and versions it was given on, and the day (UTC)."""

    case: Case
    command: str
    machine: str
    day: str
