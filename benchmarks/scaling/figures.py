"""What is measured: the figures that the page is written from."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Machine:
    """Where it was measured; ``load`` is how many processes wanted a core before anything was measured."""

    system: str
    cores: int
    load: float
    yardstick: float
    packages: str


@dataclass(frozen=True)
class Planned:
    """Planning a study: seconds to read the workflow and of the whole dry run, and the dry run's peak of memory."""

    what: str
    jobs: int
    dry_run: float
    memory_mb: float
    runs: int | None = None
    read: float | None = None


@dataclass(frozen=True)
class StartUp:
    """A job on next to no data: the median over fresh processes, and the large libraries that it imported."""

    command: str
    seconds: float
    memory_mb: float
    libraries: tuple[str, ...]
    needs_torch: bool


@dataclass(frozen=True)
class Batching:
    """Seconds per seed and step of training so many seeds in four ways."""

    seeds: int
    in_turn: float
    together_one_thread: float
    together_all_cores: float
    processes: float

    @property
    def together(self) -> float:
        """Training them together, with as many threads as is better."""
        return min(self.together_one_thread, self.together_all_cores)


@dataclass(frozen=True)
class Figures:
    """Everything on the page."""

    command: str
    machine: Machine
    sizes: list[Planned]
    configs: list[Planned]
    remedies: list[Planned]
    start_up: list[StartUp]
    batching: list[Batching]
