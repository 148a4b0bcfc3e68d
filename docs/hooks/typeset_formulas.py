r"""Formulas become MathML when the site is built: browsers show that without a script, a font or a network.

Pages write ``$x = f(z)$``, or a line between two ``$$``, which GitHub shows as well. The extension arithmatex finds
them outside code and leaves ``\(x = f(z)\)`` in an element of a class of its own.
"""

import html
import re

from latex2mathml.converter import convert

FORMULA = re.compile(
    r'<(?P<tag>span|div) class="arithmatex">\\[(\[](?P<latex>.*?)\\[)\]]</(?P=tag)>', re.DOTALL
)


def on_page_content(content: str, **event: object) -> str:
    """Put MathML in the place of every formula of a page."""
    return FORMULA.sub(_mathml, content)


def _mathml(found: re.Match[str]) -> str:
    wide = found["tag"] == "div"
    formula = convert(html.unescape(found["latex"]).strip(), display="block" if wide else "inline")
    # A long formula scrolls inside its box on a narrow screen; the focus lets the keyboard scroll it.
    return f'<div class="formula" tabindex="0">{formula}</div>' if wide else formula
