"""Whose folder it is: fits of other data must never be taken for those of these."""

from collections.abc import Sequence
from pathlib import Path

from pdgmm.errors import UserError
from pdgmm.store.checked_json import DamagedFile, check_content, read_json_object
from pdgmm.store.shell_quotes import quoted
from pdgmm.store.unreadable import cannot_be_read

KEY = "key"
"""Under this name a JSON file of a study says which one it belongs to."""


def check_owner(folder: Path, witnesses: Sequence[Path], key: str) -> None:
    """Nothing where ``folder`` is new or holds the study ``key``, else a :class:`UserError`.

    The ``witnesses`` are JSON files of the study, which is known as long as one of them is left.
    """
    try:
        if not any(folder.iterdir()):
            return
    except FileNotFoundError:
        return
    except PermissionError as error:
        raise UserError(cannot_be_read(folder, error)) from error
    said = {_said_by(witness, key) for witness in witnesses} - {None}
    if said == {key}:
        return
    if said:
        raise UserError(
            f"{folder} holds a study of other data or with other options: choose another --out, or "
            f"remove it first (rm -r {quoted(folder)})"
        )
    if damaged := [str(witness) for witness in witnesses if witness.exists()]:
        raise UserError(
            f"{' and '.join(damaged)} cannot be used, so nothing says whether the fits in {folder} are of these data "
            f"and options: choose another --out"
        )
    raise UserError(f"{folder} is not empty and holds no study: choose another --out")


def _said_by(witness: Path, key: str) -> str | None:
    try:
        content = read_json_object(witness, repair="")
        # A damaged file that says what is expected is believed: damage does not write eight right digits.
        if content.get(KEY) != key:
            check_content(witness, content, repair="")
    except (FileNotFoundError, DamagedFile):
        return None
    said = content.get(KEY)
    return said if isinstance(said, str) else None
