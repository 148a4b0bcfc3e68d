"""Paragraphs inside an item of a list, as GitHub reads them: indented by two or three spaces.

The Markdown of the site wants four, and an empty line before the next item.
"""

import re

FENCE = re.compile(r"```|~~~")
INDENTED = re.compile(r"^ {2,3}(?=\S)")
ITEM = re.compile(r"[-*] |\d+\. ")


def on_page_markdown(markdown: str, **event: object) -> str:
    """Rewrite such paragraphs; code that begins at the margin stays as it is."""
    lines: list[str] = []
    fence = None
    paragraph = False
    for line in markdown.split("\n"):
        mark = FENCE.match(line)
        if mark and fence in (None, mark[0]):
            fence = None if fence else mark[0]
        if fence is None:
            if line.startswith("  "):
                paragraph = paragraph or not lines[-1]
                line = INDENTED.sub("    ", line)
            elif line:
                if paragraph and ITEM.match(line):
                    lines.append("")
                paragraph = False
        lines.append(line)
    return "\n".join(lines)
