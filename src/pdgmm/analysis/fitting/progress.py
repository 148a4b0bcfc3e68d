"""How far an analysis is, with an estimate of the time left."""

import sys
import time
from collections.abc import Callable
from typing import Self

from tqdm import tqdm

from pdgmm.analysis.options import AnalysisOptions
from pdgmm.analysis.wording import duration

FLOW_WEIGHT, AFFINE_WEIGHT = 15, 1
"""How long a fit takes, compared with the others."""


class Progress:
    """Goes on by the weight of each part once the next one begins; all on stderr.

    A bar where a person looks on, a line for each part that is done where a file or a program reads. The rest is
    expected to go as fast as what was worked on so far, once that is as much as a fit; parts that an earlier
    call left say nothing of the speed.
    """

    def __init__(
        self, options: AnalysisOptions, show: bool, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._fit = AFFINE_WEIGHT if options.quick else FLOW_WEIGHT
        small = 2 if options.quick else 3
        self._left = small * AFFINE_WEIGHT + self._fit * (1 + options.fits)
        self._worked = 0
        self._clock, self._start = clock, clock()
        person = sys.stderr.isatty()
        self._lines = show and not person
        form = "{desc}{percentage:3.0f}% |{bar}| {elapsed} so far{postfix}"
        self._bar = tqdm(total=self._left, file=sys.stderr, disable=not (show and person), bar_format=form)
        self._part: tuple[str, int, bool] | None = None

    def begin(self, part: str, loaded: bool = False) -> None:
        """Say which part begins, and whether an earlier call left it done; the one before it is done."""
        self._finish()
        weight = self._fit if "fit" in part and "affine" not in part else AFFINE_WEIGHT
        self._part = (part, weight, loaded)
        self._bar.set_description(part)

    def _finish(self) -> None:
        if self._part is None:
            return
        part, weight, loaded = self._part
        self._part = None
        self._left -= weight
        self._worked += 0 if loaded else weight
        elapsed = self._clock() - self._start
        seconds = elapsed / self._worked * max(self._left, 0) if self._worked >= self._fit else 0
        left = f"about {duration(seconds)} left" if seconds else ""
        self._bar.set_postfix_str(left, refresh=False)
        self._bar.update(weight)
        if self._lines:
            how = "kept from before" if loaded else f"done after {duration(elapsed)}"
            print(f"{part}: {', '.join(filter(None, [how, left]))}", file=sys.stderr, flush=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        if error is None:
            self._finish()
        self._bar.close()
