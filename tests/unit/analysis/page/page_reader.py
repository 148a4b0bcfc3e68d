"""What a page says, for tests: its headings, images, tables and addresses."""

from html.parser import HTMLParser


class Page(HTMLParser):
    """Reads a page once; ``tags`` are all start tags with their attributes, ``headings`` are (level, text)."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.headings: list[tuple[int, str]] = []
        self.text = ""
        self._level: int | None = None
        self._in_style = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attributes)))
        self._in_style = tag == "style"
        if tag in ("h1", "h2", "h3", "h4"):
            self._level = int(tag[1])
            self.headings.append((self._level, ""))

    def handle_endtag(self, tag: str) -> None:
        self._in_style = False
        if tag in ("h1", "h2", "h3", "h4"):
            self._level = None

    def handle_data(self, data: str) -> None:
        if self._in_style:
            return
        self.text += data
        if self._level is not None:
            level, text = self.headings[-1]
            self.headings[-1] = (level, text + data)

    def named(self, tag: str) -> list[dict[str, str | None]]:
        """The attributes of every such tag."""
        return [attributes for name, attributes in self.tags if name == tag]

    def count(self, tag: str) -> int:
        return len(self.named(tag))
