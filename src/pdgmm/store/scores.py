"""Score files."""

import json
from pathlib import Path
from typing import Any

from pdgmm.errors import UserError


def read_scores(path: Path) -> dict[str, Any]:
    """The content of a ``scores.json``; a missing or damaged one is named."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise UserError(
            f"cannot read {path} ({error}): rm '{path}' and run the same command again"
        ) from error
