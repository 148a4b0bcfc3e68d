"""The Markdown files of the repository, and the blocks of code in them."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]

WITHOUT_DOCUMENTS = ("datasets", "results", "site", "dist")
"""Folders that commands fill; folders whose name begins with a point hold no documents either."""

BLOCK = re.compile(
    r"(?:^<!-- not run: (?P<reason>[^\n]+?) -->\n+)?"
    r"^(?P<fence>```+)(?P<language>\w*)\n(?P<text>.*?)^(?P=fence)$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Block:
    """A fenced block: the line it begins in, its language, its text, and why it cannot be run, if it cannot."""

    line: int
    language: str
    text: str
    reason: str | None


def markdown_files() -> list[Path]:
    """Every Markdown file that people wrote or a command of the repository writes into it."""
    found = []
    for path in sorted(ROOT.rglob("*.md")):
        top = path.relative_to(ROOT).parts[0]
        if not top.startswith(".") and top not in WITHOUT_DOCUMENTS:
            found.append(path)
    return found


def name(path: Path) -> str:
    """A file as it is called in a test's name."""
    return str(path.relative_to(ROOT))


def blocks(text: str) -> list[Block]:
    """The fenced blocks of a Markdown text; ``<!-- not run: why -->`` before one gives its reason."""
    return [
        Block(
            line=text.count("\n", 0, found.start("fence")) + 1,
            language=found["language"],
            text=found["text"],
            reason=found["reason"],
        )
        for found in BLOCK.finditer(text)
    ]
