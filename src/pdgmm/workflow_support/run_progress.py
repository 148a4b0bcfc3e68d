"""The progress of a run of the workflow in one line: steps done, time passed and left, and what runs now."""

import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Mapping
from statistics import fmean, median

NAMED = 3
"""How many running steps the line names."""

NEWEST = 2
"""Of how many finished steps of a rule the mean is taken. Long fits are run first, so earlier ones say little."""

KNOWN = 0.1
"""The share of the steps that must be done before the time left is estimated. The first ones are the long fits."""


class Progress:
    """Follows the steps of a run through the events that Snakemake logs.

    The time left is the sum over the steps to come, each with the mean duration of the last finished steps of the
    same rule, divided by the mean number of steps that ran at the same time. For a rule without finished steps, the
    median of the other rules is used.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._began = clock()
        self._waiting: Counter[str] = Counter()
        self._running: dict[int, tuple[str, str, float]] = {}
        self._count: Counter[str] = Counter()
        self._newest: defaultdict[str, deque[float]] = defaultdict(lambda: deque(maxlen=NEWEST))
        self._seconds = 0.0
        self.failed = 0

    def plan(self, counts: Mapping[str, int]) -> None:
        """Set what will run: the number of steps of every rule, and their ``total``."""
        self._waiting = Counter({rule: int(count) for rule, count in counts.items() if rule != "total"})

    def start(self, job: int, rule: str, words: str) -> None:
        """Note that a step begins; ``words`` describe it."""
        self._running[job] = (rule, words, self._clock())
        self._waiting[rule] = max(0, self._waiting[rule] - 1)

    def finish(self, job: int) -> None:
        """Note that a step is done."""
        if job in self._running:
            rule, _, began = self._running.pop(job)
            self._count[rule] += 1
            self._newest[rule].append(self._clock() - began)
            self._seconds += self._clock() - began

    def fail(self, job: int) -> None:
        """Note that a step has failed: it no longer runs, and it is not done."""
        self._running.pop(job, None)
        self.failed += 1

    @property
    def done(self) -> int:
        """The number of finished steps."""
        return self._count.total()

    @property
    def total(self) -> int:
        """The number of all steps."""
        return self.done + len(self._running) + self._waiting.total() + self.failed

    def seconds_left(self) -> float | None:
        """An estimate of the time left; None as long as too few steps have finished."""
        passed = self._clock() - self._began
        if not self.done or self.done < KNOWN * self.total or passed <= 0:
            return None
        means = {rule: fmean(newest) for rule, newest in self._newest.items()}
        other = median(means.values())
        now = self._clock()
        left = sum(count * means.get(rule, other) for rule, count in self._waiting.items())
        left += sum(
            max(0.0, means.get(rule, other) - (now - began)) for rule, _, began in self._running.values()
        )
        at_once = max(1.0, self._seconds / passed)
        return left / at_once

    def line(self) -> str:
        """``63 of 170 steps, 2 min passed, about 3 min left: flow on pdgmm seed 1``."""
        left = self.seconds_left()
        parts = [f"{self.done} of {self.total} steps", f"{_in_words(self._clock() - self._began)} passed"]
        if left is not None and self.done < self.total:
            parts.append(f"about {_in_words(left)} left")
        if self.failed:
            parts.append(f"{self.failed} failed")
        names = [words for _, words, _ in self._running.values()]
        more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
        return ", ".join(parts) + (f": {', '.join(names[:NAMED])}{more}" if names else "")


def step_words(rule: str, wildcards: Mapping[str, str]) -> str:
    """A step in words: ``train_stage1 flow, pdgmm_n5, seed 1``."""
    method = next((wildcards[key] for key in ("part", "chain", "method") if wildcards.get(key)), "")
    # The end of a dataset's name is a hash of its settings.
    dataset = wildcards.get("dataset", "").rpartition("-")[0] or wildcards.get("dataset", "")
    seed = f"seed {wildcards['seed']}" if "seed" in wildcards else ""
    words = " ".join(filter(None, (rule, method)))
    return ", ".join(filter(None, (words, dataset, seed, wildcards.get("experiment", ""))))


def _in_words(seconds: float) -> str:
    if seconds < 59.5:
        return f"{seconds:.0f} s"
    if seconds < 90 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
