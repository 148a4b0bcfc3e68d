"""``report.html``: the page of one study, whole in one file."""

import functools
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

import pdgmm
from pdgmm.analysis.page.assumptions_section import assumptions_section
from pdgmm.analysis.page.count_section import count_section
from pdgmm.analysis.answers import Diagnostics, read_diagnostics
from pdgmm.analysis.page.graph_section import graph_section
from pdgmm.analysis.page.identified_section import identified_section
from pdgmm.analysis.page.meaning_section import meaning_section
from pdgmm.analysis.page.page_parts import Picture
from pdgmm.analysis.page.summary_box import summarise
from pdgmm.analysis.wording import duration, plain
from pdgmm.report.figure_files import image_address, save_figure
from pdgmm.store.atomic import write_text

PAGE = "report.html"
FIGURES = "figures"


def write_page(folder: Path) -> Path:
    """Write ``folder/report.html`` and ``folder/figures/*`` from ``folder/diagnostics.json``; the page's path.

    The same diagnostics give the same bytes. A missing, foreign or damaged file is a ``UserError``.
    """
    folder = Path(folder)
    found = read_diagnostics(folder)
    sections = [
        count_section(found),
        identified_section(found),
        assumptions_section(found),
        meaning_section(found, folder),
        graph_section(found),
    ]
    sources = {
        picture.name: _save(picture, folder / FIGURES) for section in sections for picture in section.pictures
    }
    text = (
        _templates()
        .get_template("page.html.jinja")
        .render(
            found=found,
            summary=summarise(found, folder),
            sections=sections,
            sources=sources,
            footer=_footer(found),
        )
    )
    path = folder / PAGE
    write_text(path, text)
    return path


def _save(picture: Picture, folder: Path) -> str:
    """Write the picture's files, and give its content as an address that needs no file."""
    if isinstance(picture.drawing, bytes):
        return image_address("png", picture.drawing)
    save_figure(picture.drawing, folder / f"{picture.name}.svg")
    # The layout is there now; working it out again takes as long as drawing.
    picture.drawing.set_layout_engine("none")
    save_figure(picture.drawing, folder / f"{picture.name}.png")
    return image_address("svg", (folder / f"{picture.name}.svg").read_bytes())


def _footer(found: Diagnostics) -> tuple[tuple[str, str], ...]:
    settings = found.settings
    return (
        ("Data", found.data.file),
        ("Latents asked for", "not given, found" if settings.n_latents is None else str(settings.n_latents)),
        ("Fits", str(settings.fits)),
        ("Quick look", "yes" if settings.quick else "no"),
        ("Seed", str(settings.seed)),
        ("Time", "not recorded" if found.seconds is None else duration(found.seconds)),
        ("Fitted with", f"pdgmm {settings.pdgmm_version}"),
        ("Page written with", f"pdgmm {pdgmm.__version__}"),
    )


@functools.cache
def _templates() -> Environment:
    return Environment(
        loader=PackageLoader("pdgmm.analysis.page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalize,
    )


def _finalize(value: Any) -> Any:
    # All text of the page passes here, so no name can break or turn a line.
    return plain(value) if isinstance(value, str) and not isinstance(value, Markup) else value
