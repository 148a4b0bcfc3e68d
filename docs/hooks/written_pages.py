"""Pages that a command writes from what it measured: where one is missing, the site says what would write it."""

from pathlib import PurePosixPath

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add a page for every entry of ``extra.written_by`` in mkdocs.yml that has no file yet."""
    for uri, command in config.extra["written_by"].items():
        if files.get_file_from_path(uri) is None:
            files.append(File.generated(config, uri, content=_waiting_page(uri, command)))
    return files


def _waiting_page(uri: str, command: str) -> str:
    title = PurePosixPath(uri).stem.capitalize()
    return f"# {title}\n\nNothing was measured yet: `{command}` writes this page.\n"
