"""A picture on the page, before it is HTML."""

from dataclasses import dataclass

from matplotlib.figure import Figure


@dataclass(frozen=True)
class Picture:
    """A figure of ours, or the bytes of a finished PNG."""

    name: str
    """Of its files, without suffix."""
    title: str
    drawing: Figure | bytes
    alternative: str
    """What is seen, for a reader who does not see it."""
    caption: str
    wide: bool = False
    """Too dense to be shrunk to a narrow screen: scrolls in a box of its own instead."""

    @property
    def pixels(self) -> int | None:
        """Its width on a wide screen: all figures alike a little larger than drawn; None for a finished PNG."""
        return round(125 * self.drawing.get_figwidth()) if isinstance(self.drawing, Figure) else None
