"""How far a study is, with an estimate of the time left."""

import sys
from types import TracebackType
from typing import Self

from tqdm import tqdm

from pdgmm.own_study.options import StudyOptions

FLOW_WEIGHT, AFFINE_WEIGHT = 15, 1
"""How long a fit takes, compared with the others."""


class Progress:
    """A bar on stderr that goes on by the weight of each part once the next one begins."""

    def __init__(self, options: StudyOptions, show: bool) -> None:
        self._fit = AFFINE_WEIGHT if options.quick else FLOW_WEIGHT
        total = 4 * AFFINE_WEIGHT + self._fit * (1 + options.fits)
        form = "{desc}: {percentage:3.0f}% |{bar}| {elapsed} so far, about {remaining} left"
        self._bar = tqdm(total=total, file=sys.stderr, disable=not show, bar_format=form)
        self._pending = 0

    def begin(self, part: str) -> None:
        """Say which part begins; the one before it is done."""
        self._bar.update(self._pending)
        self._pending = self._fit if "fit" in part and "affine" not in part else AFFINE_WEIGHT
        self._bar.set_description(part)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self._bar.update(self._bar.total - self._bar.n)
        self._bar.close()
