"""Models that are invertible flows."""

import copy
from typing import Any, Self

import numpy as np
import torch

from pdgmm.models.base import Model
from pdgmm.models.coupling_flow import CouplingFlow
from pdgmm.models.network_model import in_batches


class FlowModel(Model):
    """``encode(x)``: the first ``code_dim`` coordinates of a flow of ``(x - mean) @ matrix.T``.

    ``matrix`` is (dim, x_dim) and ``inverse`` (x_dim, dim), a whitening and its inverse. The flow's other
    coordinates measure the distance from the surface that the observations lie on; ``decode`` sets them to
    zero, their mean.
    """

    kind = "flow"

    def __init__(
        self, flow: CouplingFlow, code_dim: int, mean: np.ndarray, matrix: np.ndarray, inverse: np.ndarray
    ) -> None:
        self.flow = flow
        self._code_dim = int(code_dim)
        arrays = {"mean": mean, "matrix": matrix, "inverse": inverse}
        self._whitening = {name: np.asarray(array, dtype=np.float64) for name, array in arrays.items()}

    def encode(self, x: np.ndarray, **seen: np.ndarray) -> np.ndarray:
        return self._mapped(lambda rows: self.flow(rows)[0][:, : self._code_dim], self._white(x))

    def decode(self, code: np.ndarray) -> np.ndarray:
        """Observations (samples, x_dim) with the given codes (samples, code_dim), as float32."""
        y = np.zeros((len(code), self.flow.dim), dtype=np.float32)
        y[:, : self._code_dim] = code
        white = self._mapped(self.flow.inverse, y).astype(np.float64)
        return (white @ self._whitening["inverse"].T + self._whitening["mean"]).astype(np.float32)

    def mapped(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """For every row, in one pass: its code, the flow's other coordinates, and the log of the volume factor.

        In double precision: in single precision the last digits of a row's result depend on the other rows.
        """
        precise = copy.deepcopy(self.flow).double()
        both = self._mapped(lambda rows: torch.column_stack(precise(rows)), self._white(x), np.float64)
        y, log_det = both[:, :-1], both[:, -1]
        volume = np.log(np.linalg.svd(self._whitening["matrix"], compute_uv=False)).sum()
        return y[:, : self._code_dim], y[:, self._code_dim :], log_det + volume

    def settings(self) -> dict[str, Any]:
        return {"code_dim": self._code_dim, "flow": self.flow.settings}

    def tensors(self) -> dict[str, np.ndarray]:
        state = {f"flow.{name}": tensor.cpu().numpy() for name, tensor in self.flow.state_dict().items()}
        return state | self._whitening

    @classmethod
    def restore(cls, settings: dict[str, Any], tensors: dict[str, np.ndarray]) -> Self:
        flow = CouplingFlow(**settings["flow"])
        # Copies: the arrays of a model file may be read-only, which torch does not support.
        state = {name: torch.tensor(tensors[f"flow.{name}"]) for name in flow.state_dict()}
        flow.load_state_dict(state)
        whitening = {name: tensors[name] for name in ("mean", "matrix", "inverse")}
        return cls(flow, settings["code_dim"], **whitening)

    def _white(self, x: np.ndarray) -> np.ndarray:
        return (x - self._whitening["mean"]) @ self._whitening["matrix"].T

    def _mapped(self, function: Any, rows: np.ndarray, dtype: type = np.float32) -> np.ndarray:
        rows = np.ascontiguousarray(rows, dtype=dtype)
        return in_batches(function, rows, self.flow.last.weight.device, dtype=dtype)
