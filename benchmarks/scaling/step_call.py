"""One call of a step."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Call:
    """``pdgmm step <arguments>``. ``detail`` tells calls of one step apart.

    One that is ``preparation`` only makes what later ones need.
    """

    arguments: list[str]
    detail: str = ""
    needs_torch: bool = False
    preparation: bool = False

    @property
    def step(self) -> str:
        """Name of the step."""
        return self.arguments[0]

    @property
    def command(self) -> str:
        """The step and the detail."""
        return " ".join(filter(None, [self.step, self.detail]))
