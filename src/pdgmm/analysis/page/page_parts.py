"""What a page is made of, before it is HTML."""

from dataclasses import dataclass

from matplotlib.figure import Figure

from pdgmm.analysis.answers import Verdict


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


@dataclass(frozen=True)
class Row:
    cells: tuple[str, ...]
    """The first is the row's heading."""
    trusted: bool = True


@dataclass(frozen=True)
class Table:
    caption: str
    head: tuple[str, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Section:
    """One question and its answer."""

    anchor: str
    question: str
    verdict: Verdict
    badge: str
    """The verdict in words that answer the question."""
    sentence: str
    """The answer, in one sentence."""
    remarks: tuple[str, ...] = ()
    pictures: tuple[Picture, ...] = ()
    tables: tuple[Table, ...] = ()
