"""From the code of a chain back to observations."""

from pathlib import Path

import numpy as np

from pdgmm.catalogue import prefixes
from pdgmm.models.model_files import load_model


class ChainDecoder:
    """Decodes codes of the chain whose last model is in ``folder``; the models of its other parts are beside it."""

    def __init__(self, folder: Path) -> None:
        folders = [folder.with_name(part) for part in prefixes(folder.name)]
        self._models = [load_model(one).usable() for one in reversed(folders)]

    def __call__(self, code: np.ndarray) -> np.ndarray:
        """Observations (samples, x_dim) with the given codes."""
        rows = code.astype(np.float32)
        for model in self._models:
            rows = model.decode(rows)
        return rows
