"""What a method is: settings that can be fitted to samples."""

from abc import abstractmethod
from typing import ClassVar

from pdgmm.fitting.run import Fitted, Run
from pdgmm.fitting.samples import Samples
from pdgmm.settings import Settings


class Method(Settings):
    """The settings of a method, with the one thing it can do.

    A module of settings must not import torch or scikit-learn at its top: the config is checked against these
    classes each time the workflow is planned. Import them inside ``fit`` or in the modules that it uses.
    """

    uses_torch: ClassVar[bool] = True
    """Whether ``fit`` needs torch: importing it costs more than a small fit does."""

    ours: ClassVar[bool] = False
    """Whether the method is one of this project's own. Chains with such a part are compared with a paper's best."""

    sees: ClassVar[tuple[str, ...]] = ()
    """Observed variables that it needs besides ``x``: ``("u",)`` for a segment, domain or class. They are in
    ``data.side`` and in every batch. A dataset without them is an error in the config."""

    told: ClassVar[tuple[str, ...]] = ()
    """What it must be told of the truth: ``("masks", "component")``. It is in ``data.told``. Only a yardstick for the
    others may be told anything, and every table says so."""

    reads_images: ClassVar[bool] = False
    """Whether its observations must be images."""

    published_sizes: ClassVar[tuple[str, ...]] = ()
    """Settings whose defaults are the sizes that a paper ran the method with; none for a method of our own."""

    def size(self) -> str:
        """What a reader must know beside a score: how long and how large the fit was (``""``: no choice)."""
        return ""

    def reduced(self) -> str:
        """In words, what is smaller than in the paper (``steps 3,000 of 80,000``); ``""``: nothing is."""
        parts = []
        for name in self.published_sizes:
            ours, published = getattr(self, name), type(self).model_fields[name].get_default()
            if _is_smaller(ours, published):
                parts.append(f"{name.replace('_', ' ')} {_in_words(ours)} of {_in_words(published)}")
        return ", ".join(parts)

    def learned_latents(self, asked: int) -> int:
        """How many latents the method learns where ``asked`` are asked for."""
        return asked

    @abstractmethod
    def fit(self, data: Samples, run: Run) -> Fitted:
        """Learn a model from samples.

        Raises :class:`pdgmm.errors.FitFailed` when no usable model comes out of it.
        """


def _is_smaller(size: int | list[int], published: int | list[int]) -> bool:
    if isinstance(size, list):
        return len(size) < len(published) or any(a < b for a, b in zip(size, published, strict=False))
    return size < published


def _in_words(size: int | list[int]) -> str:
    return "-".join(map(str, size)) if isinstance(size, list) else f"{size:,}"
