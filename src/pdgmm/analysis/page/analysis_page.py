"""``report.html``: the page of one analysis, whole in one file.

Python draws the figures and draws conclusions; the templates, one a question, hold the words.
"""

import functools
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

import pdgmm
from pdgmm.analysis import wording
from pdgmm.analysis.answers import STABLE_EDGE, Answers
from pdgmm.analysis.page import (
    assumption_figures,
    domain_figure,
    figure_style,
    latent_figures,
    sensitivity_figure,
    verdicts,
)
from pdgmm.report.figure_files import image_address, save_figure
from pdgmm.store.atomic import write_text

DRAWINGS = {
    "count": latent_figures.draw_count,
    "identified": latent_figures.draw_identified,
    "rest": assumption_figures.draw_rest,
    "normality": assumption_figures.draw_quantiles,
    "patterns": assumption_figures.draw_patterns,
    "meaning": sensitivity_figure.draw_meaning,
    "graph": latent_figures.draw_causes,
    "domains": domain_figure.draw_domains,
}
"""What is drawn, by the name of its files; a function gives None where there is nothing to draw."""

ABOUT_REST = {"rest", "normality", "patterns"}
"""Those on the assumptions of PDGMM."""


def write_page(folder: Path, found: Answers) -> Path:
    """Write ``folder/report.html`` and ``folder/figures/*`` from the answers; returns the page's path.

    The same answers give the same bytes.
    """
    figures, path = folder / "figures", folder / "report.html"
    pictures = {}
    for name, draw in DRAWINGS.items():
        asked = found.assumptions is not None or name not in ABOUT_REST
        if asked and (figure := draw(found)) is not None:
            save_figure(figure, figures / f"{name}.svg")
            # The layout is there now; working it out again takes as long as drawing.
            figure.set_layout_engine("none")
            save_figure(figure, figures / f"{name}.png")
            # On a wide screen all figures alike a little larger than drawn.
            address = image_address("svg", (figures / f"{name}.svg").read_bytes())
            pictures[name] = {"address": address, "width": round(125 * figure.get_figwidth())}
    # Images in which one latent at a time is changed, drawn when they were fitted.
    strips = figures / "traversals.png"
    if found.data.image_shape is not None and strips.is_file():
        pictures["traversals"] = {"address": image_address("png", strips.read_bytes()), "width": None}
    files = {each.name for each in folder.iterdir()}
    page = _templates().get_template("page.html.jinja")
    write_text(path, page.render(found=found, pictures=pictures, files=files, version=pdgmm.__version__))
    return path


@functools.cache
def _templates() -> Environment:
    environment = Environment(
        loader=PackageLoader("pdgmm.analysis.page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalize,
    )
    environment.globals |= {
        "words": wording,
        "verdicts": verdicts,
        "stable_edge": STABLE_EDGE,
        "drawn_names": figure_style.drawn_names,
        "latent_figures": latent_figures,
        "assumption_figures": assumption_figures,
        "domain_figure": domain_figure,
        "sensitivity_figure": sensitivity_figure,
    }
    return environment


def _finalize(value: Any) -> Any:
    # All text of the page passes here, so no name can break or turn a line.
    return wording.plain(value) if isinstance(value, str) and not isinstance(value, Markup) else value
