"""What do the latents mean: which columns or pixels change with them?"""

from pathlib import Path

import numpy as np

from pdgmm.analysis.answers import Diagnostics
from pdgmm.analysis.page.figure_style import drawn_names
from pdgmm.analysis.page.page_parts import Picture, Row, Section, Table
from pdgmm.analysis.page.sensitivity_figure import MOST_MAPS, draw_pixel_maps, draw_sensitivity, largest_columns
from pdgmm.analysis.page.verdicts import meaning_verdict
from pdgmm.analysis.wording import count_of, latent_heading, latents, number, plain

BADGES = {
    "holds": "All latents trusted",
    "doubtful": "Only some latents trusted",
    "violated": "No latent trusted",
    "unknown": "Not checked",
}
TRAVERSALS = Path("figures") / "traversals.png"
LARGEST_LISTED = 5
NARROW_COLUMNS = 16
"""With more columns than this the heatmap is too wide for a narrow screen."""


def meaning_section(found: Diagnostics, folder: Path) -> Section:
    """``folder`` may hold ``figures/traversals.png``: images in which one latent at a time is changed."""
    verdict = meaning_verdict(found)
    return Section(
        anchor="meaning",
        question="What do they mean?",
        verdict=verdict,
        badge=BADGES[verdict],
        sentence=found.meaning.sentence,
        remarks=_remarks(found),
        pictures=(*_sensitivity_pictures(found), *_traversals(found, folder)),
        tables=(_largest_table(found),) if found.meaning.columns else (),
    )


def sensitivities(found: Diagnostics) -> np.ndarray:
    """(latents, columns); NaN where not defined."""
    return np.array(found.meaning.sensitivity, dtype=float).reshape(
        found.n_latents, len(found.meaning.columns)
    )


def _doubted(found: Diagnostics) -> list[int]:
    return sorted(set(range(1, found.n_latents + 1)) - found.trusted)


def _remarks(found: Diagnostics) -> tuple[str, ...]:
    doubted = _doubted(found)
    if not doubted:
        return ()
    return (
        f"Do not interpret {latents(doubted)}: another fit would show another picture. "
        "In the figure they are marked by a question mark.",
    )


def _sensitivity_pictures(found: Diagnostics) -> tuple[Picture, ...]:
    columns, shape = found.meaning.columns, found.data.image_shape
    if not columns:
        return ()
    if shape is not None and len(columns) == int(np.prod(shape)):
        return (_pixel_picture(found, shape),)
    values = sensitivities(found)
    shown = largest_columns(values)
    caption = (
        "How much a column changes with a latent, in standard deviations of the column for one standard deviation "
        "of the latent. "
    )
    if len(shown) < len(columns):
        caption += f"Shown are the {len(shown)} of {len(columns)} columns with the largest values. "
    if _doubted(found):
        caption += "Hatched rows with a question mark cannot be trusted. "
    drawn = drawn_names(columns)
    if any(drawn[place] != columns[place] for place in shown):
        caption += (
            "Names that are too long are shortened; one that cannot be drawn is the number of its column. "
        )
    picture = Picture(
        "meaning",
        "Sensitivity",
        draw_sensitivity(values, columns, shown, found.trusted),
        f"Heatmap of {count_of(found.n_latents, 'latent')} by {count_of(len(shown), 'column')}. "
        + _strongest(found, values),
        caption,
        wide=len(shown) > NARROW_COLUMNS,
    )
    return (picture,)


def _pixel_picture(found: Diagnostics, shape: tuple[int, int, int]) -> Picture:
    order = [*sorted(found.trusted), *_doubted(found)]
    shown = sorted(order[:MOST_MAPS])
    caption = "Where in the image each latent changes something: dark pixels follow it. "
    if len(shown) < found.n_latents:
        caption += f"Shown are {len(shown)} of {found.n_latents} latents, trusted ones first. "
    return Picture(
        "meaning",
        "Where in the image",
        draw_pixel_maps(sensitivities(found), shape, shown, found.trusted),
        f"{count_of(len(shown), 'map')} of {shape[0]} by {shape[1]} pixels, for {latents(shown)}. "
        + _strongest(found, sensitivities(found)),
        caption + "A question mark and a dashed frame mark a latent that cannot be trusted.",
        wide=len(shown) > 2,
    )


def _strongest(found: Diagnostics, values: np.ndarray) -> str:
    if not np.isfinite(values).any():
        return "No value could be measured."
    latent, column = np.unravel_index(np.nanargmax(values), values.shape)
    name = plain(found.meaning.columns[column])
    return f"The largest value, {number(values[latent, column])}, is that of {name} with latent {latent + 1}."


def _traversals(found: Diagnostics, folder: Path) -> tuple[Picture, ...]:
    path = folder / TRAVERSALS
    if found.data.image_shape is None or not path.is_file():
        return ()
    doubted = _doubted(found)
    warning = f" Not trusted: {latents(doubted)}." if doubted else ""
    return (
        Picture(
            TRAVERSALS.stem,
            "Changing one latent at a time",
            path.read_bytes(),
            "Strips of images, one for each latent, those that are trusted first: along a strip one latent goes from "
            f"low to high and the others stay.{warning}",
            "What changes in an image when one latent is changed and the others are kept. The trusted latents come "
            f"first, a question mark stands beside the others.{warning}",
            wide=True,
        ),
    )


def _largest_table(found: Diagnostics) -> Table:
    values = sensitivities(found)
    rows = []
    for latent, row in enumerate(values, start=1):
        known = [place for place in np.argsort(-row, kind="stable") if np.isfinite(row[place])][
            :LARGEST_LISTED
        ]
        named = "; ".join(f"{plain(found.meaning.columns[place])} ({number(row[place])})" for place in known)
        rows.append(Row((latent_heading(latent, found.trusted), named or "none"), latent in found.trusted))
    return Table(
        f"The {count_of(min(LARGEST_LISTED, values.shape[1]), 'column')} that follow each latent most "
        "(all values are in diagnostics.json)",
        ("Latent", "Columns and their sensitivity"),
        tuple(rows),
    )
