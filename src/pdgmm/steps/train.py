"""Steps 2 and 3: fit a stage and write its model; after stage 2 also the latents of the held-out splits.

Networks that read images, before both, are fitted like a stage.

A fit that ends without a usable model is a result: its status and reason stand where the model would.
"""

import hashlib
import json
import logging
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pdgmm.catalogue import module_of
from pdgmm.errors import FitFailed, TooFewDirections
from pdgmm.fitting.privileged import GroundTruth
from pdgmm.fitting.samples import Observations
from pdgmm.methods import STAGE1, STAGE2, stage_class
from pdgmm.methods.base import Run, Stage
from pdgmm.methods.image_features import FEATURES
from pdgmm.models.base import Encoder
from pdgmm.models.model_files import FittedModel, load_model, save_model
from pdgmm.seeds import child_seed
from pdgmm.steps.devices import prepared_device
from pdgmm.store import hdf5
from pdgmm.store.atomic import remove_left_overs, write_text
from pdgmm.workflow_support.code_tracking import code_digest

log = logging.getLogger(__name__)

HELD_OUT = ("test", "unmasked", "independent")

LEARNED = "learned_latents"
"""Where a model notes how many latents it learned: that many its stage 2 is asked for."""


@dataclass(frozen=True)
class FitOptions:
    """How a fit is carried out; none of it changes what the result means."""

    device: str = "auto"
    threads: int = 1
    show_progress: bool = False
    track_code: bool = True


@dataclass(frozen=True)
class StageChoice:
    """A stage to fit: which (``catalogue`` and ``method``) and its settings as JSON."""

    catalogue: dict[str, str]
    method: str
    settings_json: str

    def stage(self) -> Stage:
        """The stage with its settings checked."""
        return stage_class(self.catalogue, self.method).model_validate(json.loads(self.settings_json))

    def module(self) -> str:
        """The module that holds the stage."""
        return module_of(self.catalogue, self.method)


def train_features(
    method: str, settings_json: str, images: Path, seed: int, out: Path, options: FitOptions
) -> None:
    """Train a network that reads images on a dataset's training images and write it into ``out``."""
    choice = StageChoice(FEATURES, method, settings_json)
    _save(out, _fit(choice, Observations.from_file(images, _n_latents(images)), images, seed, out, options))


def train_stage1(
    method: str, settings_json: str, dataset: Path, seed: int, out: Path, options: FitOptions
) -> None:
    """Fit a stage 1 to a dataset's training observations and write its model into ``out``."""
    choice = StageChoice(STAGE1, method, settings_json)
    _save(
        out, _fit(choice, Observations.from_file(dataset, _n_latents(dataset)), dataset, seed, out, options)
    )


def train_stage2(
    method: str,
    settings_json: str,
    dataset: Path,
    stage1_folder: Path,
    seed: int,
    out: Path,
    options: FitOptions,
) -> None:
    """Fit a stage 2 to the codes of a fitted stage 1; write its model and the held-out latents to ``out``."""
    choice = StageChoice(STAGE2, method, settings_json)
    try:
        first = load_model(stage1_folder)
        stage1 = first.usable()
    except FitFailed as failure:
        model = FittedModel(None, FitFailed(failure.status, f"stage 1: {failure.reason}"), {})
        _write_history(out, [])
    else:
        asked = first.notes.get(LEARNED, _n_latents(dataset))
        codes = Observations.from_file(dataset, asked, encoder=stage1)
        model = _with_finite_latents(
            _fit(choice, codes, dataset, seed, out, options), dataset, stage1, out / "latents.h5"
        )
    if model.encoder is None:
        with hdf5.create(out / "latents.h5", "latents", _status(model)):
            pass
    _save(out, model)


def _fit(
    choice: StageChoice, data: Observations, dataset: Path, seed: int, out: Path, options: FitOptions
) -> FittedModel:
    stage = choice.stage()
    run = Run(
        seed=child_seed(seed, "fit", choice.method),
        device=prepared_device(options.device, options.threads) if stage.uses_torch else "cpu",
        checkpoint=_checkpoint_file(out),
        checkpoint_key=_checkpoint_key(choice, dataset, seed, options.track_code),
        show_progress=options.show_progress,
    )
    started = time.monotonic()
    encoder, failure = None, None
    try:
        if stage.privileged:
            encoder = stage.fit_with_truth(data, GroundTruth.from_file(dataset), run)
        else:
            encoder = stage.fit(data, run)
    except FitFailed as error:
        failure = error
    except TooFewDirections as error:
        failure = FitFailed("failed", str(error))
    if failure is not None:
        log.warning("%s on %s: %s", choice.method, dataset, failure)
    run.notes[LEARNED] = stage.learned_latents(data.n_latents)
    run.notes["seconds"] = round(time.monotonic() - started, 3)
    run.notes["device"] = run.device
    run.notes["threads"] = options.threads
    _write_history(out, run.history)
    return FittedModel(encoder, failure, run.notes)


def _with_finite_latents(model: FittedModel, dataset: Path, stage1: Encoder, path: Path) -> FittedModel:
    """Write the latents of every held-out split, and the supports where the stage found them.

    A model that gives no finite latents becomes a failure.
    """
    if model.encoder is None:
        return model
    try:
        with hdf5.create(path, "latents", _status(model)) as file:
            for split in _held_out_splits(dataset):
                codes = Observations.from_file(dataset, 0, split=split, encoder=stage1)
                latents = model.encoder.encode(codes.array())
                if not np.isfinite(latents).all():
                    raise FitFailed("failed", f"the latents of the {split} samples are not finite")
                hdf5.put(file, f"{split}/z_hat", latents)
            if "supports" in model.notes:
                active = np.zeros((len(model.notes["supports"]), latents.shape[1]), dtype=np.uint8)
                for row, support in zip(active, model.notes["supports"], strict=True):
                    row[support] = 1
                hdf5.put(file, "supports/active", active)
                hdf5.put(file, "supports/weights", np.array(model.notes["support_weights"]))
    except FitFailed as failure:
        return FittedModel(None, failure, model.notes)
    return model


def _save(out: Path, model: FittedModel) -> None:
    save_model(out, model)
    # Only now: a kill between the fit and here costs no more than the steps since the last checkpoint.
    _checkpoint_file(out).unlink(missing_ok=True)
    remove_left_overs(_checkpoint_file(out))


def _n_latents(dataset: Path) -> int:
    with hdf5.opened(dataset, "dataset") as file:
        return int(hdf5.about(file, "n_latents"))


def _held_out_splits(dataset: Path) -> list[str]:
    with hdf5.opened(dataset, "dataset") as file:
        return [split for split in HELD_OUT if split in file]


def _status(model: FittedModel) -> dict[str, str]:
    failure = model.failure
    return {"status": failure.status if failure else "ok", "reason": failure.reason if failure else ""}


def _checkpoint_file(out: Path) -> Path:
    return out / "checkpoint.pt"


def _checkpoint_key(choice: StageChoice, dataset: Path, seed: int, track_code: bool) -> str:
    """What must be equal for a checkpoint to be resumed: settings, data, seed and, unless waived, code."""
    code = code_digest("pdgmm.steps.train", choice.module()) if track_code else ""
    parts = [choice.method, choice.settings_json, str(dataset), str(seed), code]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _write_history(out: Path, history: list[dict[str, float]]) -> None:
    columns = list(dict.fromkeys(key for row in history for key in row))
    lines = [
        ",".join(columns),
        *(",".join(str(row.get(column, "")) for column in columns) for row in history),
    ]
    write_text(out / "history.csv", "\n".join(lines) + "\n")
