"""Step 2: fit a method to a dataset, or to the codes of another method, and write its model.

A fit that ends without a usable model is also a result: its status and reason are written in place of the model.
"""

import hashlib
import json
import logging
import time
from dataclasses import dataclass
from pathlib import Path

from pdgmm.catalogue import module_of
from pdgmm.errors import FitFailed, TooFewDirections
from pdgmm.fitting.devices import prepared_device
from pdgmm.fitting.run import Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods import METHODS, method_class
from pdgmm.methods.base import Method
from pdgmm.models.model_files import FittedModel, save_model
from pdgmm.seeds import child_seed
from pdgmm.steps.encode import LEARNED
from pdgmm.store import hdf5
from pdgmm.store.atomic import remove_left_overs, write_text
from pdgmm.store.seal import SEAL_BYTES
from pdgmm.workflow_support.code_tracking import code_digest

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class FitOptions:
    """How a fit is carried out; none of these options changes what the result means."""

    device: str = "auto"
    threads: int = 1
    show_progress: bool = False
    track_code: bool = True


def train(
    method: str,
    settings_json: str,
    dataset: Path,
    seed: int,
    out: Path,
    options: FitOptions,
    code: Path | None = None,
) -> None:
    """Fit a method and write its model into ``out``.

    The method is fitted to a dataset's training samples or, if ``code`` is given, to another method's codes of them.
    """
    chosen = method_class(method).model_validate(json.loads(settings_json))
    run = Run(
        seed=child_seed(seed, "fit", method),
        device=prepared_device(options.device, options.threads) if chosen.uses_torch else "cpu",
        checkpoint=out / "checkpoint.pt",
        show_progress=options.show_progress,
    )
    started = time.monotonic()
    fitted, failure = None, None
    try:
        data = _samples(chosen, dataset, code)
        run.notes[LEARNED] = chosen.learned_latents(data.n_latents)
        run.checkpoint_key = _checkpoint_key(method, settings_json, dataset, code, seed, options.track_code)
        fitted = chosen.fit(data, run)
    except FitFailed as error:
        failure = error
    except TooFewDirections as error:
        failure = FitFailed("failed", str(error))
    if failure is not None:
        log.warning("%s on %s: %s", method, dataset, failure)
    run.notes |= {
        "seconds": round(time.monotonic() - started, 3),
        "device": run.device,
        "threads": options.threads,
    }
    _write_history(out, run.history)
    save_model(
        out,
        FittedModel(fitted.model if fitted else None, failure, run.notes, fitted.claims if fitted else {}),
    )
    # Removed only now, so that a kill before this line costs no more than the steps since the last checkpoint.
    run.checkpoint.unlink(missing_ok=True)
    remove_left_overs(run.checkpoint)


def _samples(method: Method, dataset: Path, code: Path | None) -> Samples:
    asked = None
    if code is not None:
        with hdf5.opened(code, "latents") as file:
            if (status := hdf5.about(file, "status")) != "ok":
                raise FitFailed(status, f"{code.parent.name}: {hdf5.about(file, 'reason')}")
            asked = hdf5.about(file, LEARNED)
    return Samples.from_file(dataset, code=code, n_latents=asked, sees=method.sees, told=method.told)


def _checkpoint_key(
    method: str, settings_json: str, dataset: Path, code: Path | None, seed: int, track_code: bool
) -> str:
    """What must be equal for a checkpoint to be resumed: settings, data, seed and, unless switched off, code."""
    program = code_digest("pdgmm.steps.train", module_of(METHODS, method)) if track_code else ""
    parts = [method, settings_json, str(dataset), str(seed), program]
    digest = hashlib.sha256("\n".join(parts).encode())
    for path in filter(None, (dataset, code)):
        # Our HDF5 files begin with a checksum of the rest.
        with path.open("rb") as file:
            digest.update(file.read(SEAL_BYTES))
    return digest.hexdigest()


def _write_history(out: Path, history: list[dict[str, float]]) -> None:
    columns = list(dict.fromkeys(key for row in history for key in row))
    lines = [
        ",".join(columns),
        *(",".join(str(row.get(column, "")) for column in columns) for row in history),
    ]
    write_text(out / "history.csv", "\n".join(lines) + "\n")
