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
    """A whole fit of a flow and its steps; by the number of seeds, the seconds of a step for each seed at once."""

    latents: int
    fit_seconds: float
    steps: int
    step_seconds: dict[int, float]

    @property
    def batched_share(self) -> float:
        """The share of the fit that is training steps."""
        return self.steps * self.step_seconds[1] / self.fit_seconds

    def gain(self, seeds: int) -> float:
        """How many times faster a fit could be at best where ``seeds`` of them share their steps."""
        saved = self.steps * (self.step_seconds[1] - self.step_seconds[seeds])
        return self.fit_seconds / (self.fit_seconds - saved)


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
