"""Pydantic models as JSON files with a checksum: what is read has been checked twice, against damage and by type."""

from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from pdgmm.errors import UserError
from pdgmm.store.checked_json import read_checked_json, write_checked_json

Model = TypeVar("Model", bound=BaseModel)


def write_model(path: Path, model: BaseModel) -> None:
    """Write the model, whole or not at all."""
    write_checked_json(path, model.model_dump(mode="json", by_alias=True))


def read_model(kind: type[Model], path: Path, repair: str) -> Model:
    """The model of this ``kind`` in ``path``; else a :class:`UserError` that ends with the words ``repair``.

    A file that is not there raises :class:`FileNotFoundError`: only the caller knows what makes it.
    """
    content = read_checked_json(path, repair)
    try:
        return kind.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "its content"
        raise UserError(f"{path} cannot be used ({place}: {first['msg']}). {repair}") from error
