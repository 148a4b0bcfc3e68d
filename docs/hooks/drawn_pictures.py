"""Pictures that the package draws: made when the site is built, so that they show what the code does today."""

from pathlib import Path
from tempfile import TemporaryDirectory

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

SUPPORTS_MARK = "<!-- picture: supports -->"
"""Where a page wants the picture. A comment and no image: GitHub has no file to show."""

SUPPORTS_URI = "pictures/supports.png"
SUPPORTS_TEXT = "Left: a plane and a line through one point. Right: the same samples after the mixing, bent."


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the picture of two supports, as ``pdgmm step draw-supports`` draws it."""
    from pdgmm.steps.draw_supports import draw_example_supports

    with TemporaryDirectory() as folder:
        stem = Path(folder) / "supports"
        draw_example_supports(stem)
        content = stem.with_suffix(".png").read_bytes()
    files.append(File.generated(config, SUPPORTS_URI, content=content))
    return files


def on_page_markdown(markdown: str, **event: object) -> str:
    """Put the picture where the page, one directly under docs/, wants it."""
    return markdown.replace(SUPPORTS_MARK, f"![{SUPPORTS_TEXT}]({SUPPORTS_URI})")
