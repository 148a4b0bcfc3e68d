"""Which columns are data, and which one labels the rows."""

from dataclasses import dataclass

from pdgmm.analysis.reading.read_options import ReadOptions
from pdgmm.analysis.reading.source import Source
from pdgmm.config_errors import unknown_name
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
    if isinstance(wanted, str) and wanted in source.columns:
        return wanted
    number = int(wanted) if str(wanted).isdecimal() else 0
    if 1 <= number <= len(source.columns):
        return source.columns[number - 1]
    return _known(source, str(wanted))


def _known(source: Source, name: str) -> str:
    if name not in source.columns:
        raise UserError(unknown_name(f"{source.path}: column", name, source.columns))
    return name
