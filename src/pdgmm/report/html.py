"""HTML pages that need no other file, in one style."""

from collections.abc import Sequence

from pdgmm.report.templates.template_files import prose, template

__all__ = ["page", "prose"]


def page(title: str, parts: Sequence[str]) -> str:
    """A whole page with the style of all our pages, from the HTML of its parts."""
    return template("page.html").render(heading=title, parts=parts)
