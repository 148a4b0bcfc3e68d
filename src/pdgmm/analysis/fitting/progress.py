"""How far an analysis is, with an estimate of the time left."""

import sys
import time
from collections.abc import Callable
from statistics import fmean
from typing import Self

from tqdm import tqdm

from pdgmm.analysis.options import AnalysisOptions
from pdgmm.analysis.wording import duration

FIT, OTHER = "fit", "other"


class Progress:
    """Goes on by one once the next part begins; all on stderr.

    A bar where a person looks on, a line for each part that is done where a file or a program reads. From the first
    fit on, further fits are expected to take as long as fits took, and the few other parts as long as those took.
    Parts that an earlier call left say nothing of the speed.
    """

    def __init__(
        self, options: AnalysisOptions, show: bool, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._left = {FIT: 1 + options.fits, OTHER: 2 if options.quick or options.chain else 3}
        self._took: dict[str, list[float]] = {FIT: [], OTHER: []}
        self._clock = clock
        self._start = self._begin = clock()
        person = sys.stderr.isatty()
        self._lines = show and not person
        form = "{desc}{percentage:3.0f}% |{bar}| {elapsed} so far{postfix}"
        total = sum(self._left.values())
        self._bar = tqdm(total=total, file=sys.stderr, disable=not (show and person), bar_format=form)
        self._part: tuple[str, bool] | None = None

    def begin(self, part: str, loaded: bool = False) -> None:
        """Say which part begins, and whether an earlier call left it done; the one before it is done."""
        self._finish()
        self._part = (part, loaded)
        self._begin = self._clock()
        self._bar.set_description(part)

    def _finish(self) -> None:
        if self._part is None:
            return
        part, loaded = self._part
        self._part = None
        kind = FIT if "fit" in part and "affine" not in part else OTHER
        self._left[kind] -= 1
        now = self._clock()
        if not loaded:
            self._took[kind].append(now - self._begin)
        left = f"about {duration(seconds)} left" if (seconds := self._seconds_left()) else ""
        self._bar.set_postfix_str(left, refresh=False)
        self._bar.update(1)
        if self._lines:
            how = "kept from before" if loaded else f"done after {duration(now - self._start)}"
            print(f"{part}: {', '.join(filter(None, [how, left]))}", file=sys.stderr, flush=True)

    def _seconds_left(self) -> float:
        """An estimate; 0 before the first fit, and after the last part."""
        if not self._took[FIT]:
            return 0.0
        return sum(self._left[kind] * fmean(took) for kind, took in self._took.items() if took)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        if error is None:
            self._finish()
        self._bar.close()
