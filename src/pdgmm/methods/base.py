"""What a method is: settings that can be fitted to samples."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from pdgmm.fitting.run import Fitted, Run
from pdgmm.fitting.samples import Samples
from pdgmm.settings import Settings


class Method(Settings):
    """The settings of a method, and ``fit``, which learns a model with them.

    A module of settings must not import torch or scikit-learn at its top, since the config is checked against these
    classes each time the workflow is planned. Import them inside ``fit`` or in the modules that it uses.
    """

    uses_torch: ClassVar[bool] = True
    """Whether ``fit`` needs torch. Importing torch takes longer than a small fit."""

    ours: ClassVar[bool] = False
    """Whether it is one of this project's own methods. Their chains are compared with a paper's own method."""

    sees: ClassVar[tuple[str, ...]] = ()
    """Observed variables that it needs besides ``x``: ``("u",)`` for a segment, domain or class. They are in
    ``data.side`` and in every batch. A dataset without them is an error in the config."""

    told: ClassVar[tuple[str, ...]] = ()
    """The truth that it must be told: ``("masks", "component")``. It is in ``data.told``. Only a reference for other
    methods may be told any truth, and every table says so."""

    reads_images: ClassVar[bool] = False
    """Whether its observations must be images."""

    published_sizes: ClassVar[tuple[str, ...]] = ()
    """The settings whose defaults are the sizes of a paper; empty for our own methods."""

    stand_in: ClassVar[Mapping[str, Any]] = {}
    """Settings of a shorter training that is judged in place of the paper's whole one, since its scores were compared
    with those of the whole one and were not lower; empty: none."""

    def size(self) -> str:
        """How long and how large the fit is, for readers of a score; ``""`` if that cannot be set."""
        return ""

    def reduced(self) -> str:
        """What is smaller than in the paper, as text (``steps 3,000 of 80,000``).

        It is ``""`` if nothing is smaller, or if the training is the ``stand_in``.
        """
        if self.is_stand_in():
            return ""
        parts = []
        for name in self.published_sizes:
            ours, published = getattr(self, name), type(self).model_fields[name].get_default()
            if _is_smaller(ours, published):
                parts.append(f"{name.replace('_', ' ')} {_in_words(ours)} of {_in_words(published)}")
        return ", ".join(parts)

    def is_stand_in(self) -> bool:
        """Whether the training is the shorter one that is judged in place of the paper's whole one."""
        defaults = {name: type(self).model_fields[name].get_default() for name in self.published_sizes}
        wanted = {**defaults, **self.stand_in}
        return bool(self.stand_in) and all(getattr(self, name) == value for name, value in wanted.items())

    def learned_latents(self, asked: int) -> int:
        """How many latents the method learns if ``asked`` are asked for."""
        return asked

    @abstractmethod
    def fit(self, data: Samples, run: Run) -> Fitted:
        """Learn a model from samples.

        Raises :class:`pdgmm.errors.FitFailed` if there is no usable model in the end.
        """


def _is_smaller(size: int | list[int], published: int | list[int]) -> bool:
    if isinstance(size, list):
        return len(size) < len(published) or any(a < b for a, b in zip(size, published, strict=False))
    return size < published


def _in_words(size: int | list[int]) -> str:
    return "-".join(map(str, size)) if isinstance(size, list) else f"{size:,}"
