"""``report.html``: the page of one analysis, whole in one file."""

import functools
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

import pdgmm
from pdgmm.analysis import wording
from pdgmm.analysis.answers import STABLE_EDGE, Answers
from pdgmm.analysis.page import verdicts
from pdgmm.analysis.page.causes_figure import causes_pictures, stable_first
from pdgmm.analysis.page.count_figure import count_pictures
from pdgmm.analysis.page.identified_figure import identified_pictures
from pdgmm.analysis.page.page_parts import Picture
from pdgmm.analysis.page.pattern_figure import pattern_pictures
from pdgmm.analysis.page.quantile_figure import quantile_pictures
from pdgmm.analysis.page.rest_figure import rest_pictures
from pdgmm.analysis.page.sensitivity_figure import largest_entries, meaning_pictures
from pdgmm.report.figure_files import image_address, save_figure
from pdgmm.store.atomic import write_text

PAGE = "report.html"
FIGURES = "figures"


def write_page(folder: Path, found: Answers) -> Path:
    """Write ``folder/report.html`` and ``folder/figures/*`` from the answers; returns the page's path.

    The same answers give the same bytes.
    """
    pictures = {
        "count": count_pictures(found),
        "identified": identified_pictures(found),
        "assumptions": [*rest_pictures(found), *quantile_pictures(found), *pattern_pictures(found)],
        "meaning": meaning_pictures(found, folder / FIGURES),
        "graph": causes_pictures(found),
    }
    text = (
        _templates()
        .get_template("page.html.jinja")
        .render(
            found=found,
            pictures=pictures,
            sources={
                picture.name: _save(picture, folder / FIGURES)
                for part in pictures.values()
                for picture in part
            },
            files={path.name for path in folder.iterdir()},
            version=pdgmm.__version__,
        )
    )
    write_text(folder / PAGE, text)
    return folder / PAGE


def _save(picture: Picture, folder: Path) -> str:
    """Write the picture's files, and give its content as an address that needs no file."""
    if isinstance(picture.drawing, bytes):
        return image_address("png", picture.drawing)
    save_figure(picture.drawing, folder / f"{picture.name}.svg")
    # The layout is there now; working it out again takes as long as drawing.
    picture.drawing.set_layout_engine("none")
    save_figure(picture.drawing, folder / f"{picture.name}.png")
    return image_address("svg", (folder / f"{picture.name}.svg").read_bytes())


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
    environment.globals |= {"words": wording, "verdicts": verdicts, "stable_edge": STABLE_EDGE}
    environment.globals |= {"largest_entries": largest_entries, "stable_first": stable_first}
    return environment


def _finalize(value: Any) -> Any:
    # All text of the page passes here, so no name can break or turn a line.
    return wording.plain(value) if isinstance(value, str) and not isinstance(value, Markup) else value
