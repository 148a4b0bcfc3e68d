"""Which columns are data, and which one labels the rows."""

import difflib
from dataclasses import dataclass

from pdgmm.analysis.reading.read_options import ReadOptions
from pdgmm.analysis.reading.source import Source
from pdgmm.analysis.wording import first_few
from pdgmm.errors import UserError


@dataclass(frozen=True)
class Choice:
    """Names of the data columns, in the file's order, and of the row labels, if there are any."""

    columns: list[str]
    index: str | None

    @property
    def all(self) -> list[str]:
        """The row labels, then the data."""
        return [*([self.index] if self.index is not None else []), *self.columns]


def chosen_columns(source: Source, options: ReadOptions) -> Choice:
    """What the user wants of the file; a name it does not have is an error."""
    for name in (*(options.columns or []), *options.drop_columns):
        _known(source, name)
    if source.image_shape and (options.columns or options.drop_columns):
        raise UserError(f"{source.path} holds images, and of images all pixels are read: leave out --columns")
    index = index_column(source, options, options.columns or [])
    wanted = set(source.columns if options.columns is None else options.columns)
    wanted -= {*options.drop_columns, index}
    left = [name for name in source.columns if name in wanted]
    if not left:
        raise UserError(
            f"{source.path}: no column is left of {len(source.columns)}; choose fewer to leave out"
        )
    return Choice(left, index)


def index_column(source: Source, options: ReadOptions, data: list[str]) -> str | None:
    """The column of row labels: named by the user, or recognised and not wanted as ``data``."""
    wanted = options.index_column
    if wanted is None:
        found = source.index_column
        return None if found in data or found in options.drop_columns else found
    if wanted not in source.columns and str(wanted).isdecimal() and 1 <= int(wanted) <= len(source.columns):
        return source.columns[int(wanted) - 1]
    return _known(source, str(wanted))


def _known(source: Source, name: str) -> str:
    if name not in source.columns:
        near = difflib.get_close_matches(name, source.columns, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        held = first_few(map(repr, source.columns), 20)
        raise UserError(f"{source.path}: column {name!r} is unknown; {hint}the file has {held}")
    return name
