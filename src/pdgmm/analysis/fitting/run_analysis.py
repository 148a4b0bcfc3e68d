"""The study itself: one fit that the answers are about, and further fits that tell what to make of them."""

import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import pdgmm
from pdgmm.analysis.diagnostics.activity import Marginals, activity
from pdgmm.analysis.diagnostics.assumptions import assumptions
from pdgmm.analysis.diagnostics.latent_count import count_latents
from pdgmm.analysis.diagnostics.edges import latent_graph
from pdgmm.analysis.diagnostics.mixing_check import affine_log_likelihoods, mixing
from pdgmm.analysis.diagnostics.sensitivity import sensitivity
from pdgmm.analysis.diagnostics.spikes import spike_evidence
from pdgmm.analysis.diagnostics.stability import identified
from pdgmm.estimator import PDGMM
from pdgmm.analysis.reading.read_options import ReadOptions
from pdgmm.analysis.reading.own_data import OwnData, read
from pdgmm.analysis.fitting.enough_rows import check_rows, held_out_rows
from pdgmm.analysis.fitting.analysis_folder import AFFINE, REFERENCE, StudyFolder
from pdgmm.analysis.fitting.latents_files import latents_frame
from pdgmm.analysis.fitting.manifest import Manifest
from pdgmm.analysis.fitting.analysis_options import StudyOptions
from pdgmm.analysis.fitting.progress import Progress
from pdgmm.seeds import child_generator, child_seed
from pdgmm.store.atomic import write_text
from pdgmm.store.checked_json import write_checked_json

RESAMPLED_SHARE = 0.8
"""Share of the other rows, drawn without replacement, that each further fit sees."""

HELD_OUT_ROWS_PER_LATENT = 50
"""With fewer, the fits are compared on the rows that they saw as well."""

COUNT_ROWS = 20_000
"""Rows that the number of latents is chosen on."""


@dataclass(frozen=True)
class _Split:
    train: np.ndarray
    held_out: np.ndarray


def run_study(
    path: Path, out: Path, reading: ReadOptions, options: StudyOptions, *, show_progress: bool = False
) -> dict[str, Any]:
    """Fit the data at ``path``, check the fit, write everything into ``out``; returns the answers.

    What is already there of the same study is not done again, so an interrupted call goes on where it was.
    """
    started = time.monotonic()
    folder = StudyFolder(out)
    folder.check_usable()
    data = read(path, reading)
    check_rows(*data.values.shape, options.n_latents)
    manifest = folder.begin(path, data, reading, options)
    rows = _split(manifest.standardised(data.values), options.seed)
    with Progress(options, show_progress) as progress:
        progress.begin("number of latents", folder.has_answer("count"))
        count = folder.answered("count", manifest.key, lambda: _count(rows, options))
        progress.begin("first fit", folder.has_fit(REFERENCE))
        shape = (data.values.shape[1], count["chosen"])
        reference = folder.fitted(REFERENCE, shape, lambda: _fit(rows.train, count["chosen"], options, 0))
        affine = reference
        if not options.quick:
            progress.begin("affine fit", folder.has_fit(AFFINE))
            affine = folder.fitted(
                AFFINE, shape, lambda: _fit(rows.train, count["chosen"], options, 0, affine=True)
            )
        refits = []
        for number in range(1, options.fits + 1):
            name = f"resampled-{number}"
            progress.begin(f"fit {number} of {options.fits} on resampled rows", folder.has_fit(name))
            refits.append(
                folder.fitted(name, shape, lambda n=number: _refit(rows, count["chosen"], options, n))
            )
        progress.begin("checks")
        answers = _answers(data, manifest, rows, reference, affine, refits, options)
    answers |= {"count": count, "seconds": round(time.monotonic() - started, 1)}
    answers["data"]["file"] = Path(path).name
    _write_latents(folder, data, reference.transform(manifest.standardised(data.values)))
    if manifest.image_shape is not None:
        trusted = [latent["trusted"] for latent in answers["identified"]["latents"]]
        _draw_traversals(folder, manifest, reference, rows, trusted)
    write_checked_json(folder.diagnostics, answers)
    return answers


def _split(values: np.ndarray, seed: int) -> _Split:
    order = child_generator(seed, "held out").permutation(len(values))
    held_out = held_out_rows(len(values))
    return _Split(values[order[held_out:]], values[order[:held_out]])


def _count(rows: _Split, options: StudyOptions) -> dict[str, Any]:
    seed = child_seed(options.seed, "count") % 2**31
    train, held_out = rows.train[:COUNT_ROWS], rows.held_out[:COUNT_ROWS]
    return count_latents(train, held_out, asked=options.n_latents, seed=seed).as_json()


def _fit(
    train: np.ndarray, n_latents: int, options: StudyOptions, number: int, affine: bool = False
) -> PDGMM:
    seed = child_seed(options.seed, "fit", number) % 2**31
    estimator = PDGMM(
        n_latents, nonlinear=not (options.quick or affine), steps=options.steps, random_state=seed
    )
    with warnings.catch_warnings():
        # What it warns of is among the answers.
        warnings.simplefilter("ignore", UserWarning)
        return estimator.fit(train)


def _refit(rows: _Split, n_latents: int, options: StudyOptions, number: int) -> PDGMM:
    count = int(RESAMPLED_SHARE * len(rows.train))
    chosen = child_generator(options.seed, "resampled", number).permutation(len(rows.train))[:count]
    return _fit(rows.train[np.sort(chosen)], n_latents, options, number)


def _answers(
    data: OwnData,
    manifest: Manifest,
    rows: _Split,
    reference: PDGMM,
    affine: PDGMM,
    refits: Sequence[PDGMM],
    options: StudyOptions,
) -> dict[str, Any]:
    fitted, new = reference.transform(rows.train[:COUNT_ROWS]), reference.transform(rows.held_out)
    # The same rows under every fit; with few of them all rows serve, seen or not, and the page says so.
    seen_too = len(rows.held_out) < HELD_OUT_ROWS_PER_LATENT * reference.n_latents_
    shared = np.vstack([rows.train, rows.held_out]) if seen_too else rows.held_out
    latents = reference.transform(shared)
    again = [refit.transform(shared) for refit in refits]
    spikes = spike_evidence(reference, fitted, new)
    active = activity(latents, reference, spikes)
    flow = None if options.quick else reference.score_samples(rows.held_out)
    mix = mixing(affine_log_likelihoods(affine, rows.train, rows.held_out), flow)
    checked = assumptions(latents, reference, spikes, mix)
    found = identified(
        latents,
        again,
        active,
        spikes,
        marginals=Marginals.of(reference),
        inseparable=checked.variability.inseparable,
    )
    moved = sensitivity(reference.inverse_transform, latents, shared, list(data.columns))
    return {
        "format_version": 1,
        "data": {
            "rows": len(data.values),
            "rows_in_file": data.rows_in_file,
            "columns": list(data.columns),
            "image_shape": manifest.image_shape,
            "notes": list(data.notes),
        },
        "settings": {
            "quick": options.quick,
            "n_latents": options.n_latents,
            "fits": options.fits,
            "seed": options.seed,
            "pdgmm_version": pdgmm.__version__,
        },
        "identified": found.as_json() | {"compared_rows": len(shared), "fitted_rows_too": seen_too},
        "assumptions": checked.as_json(),
        "meaning": moved.as_json(),
        "graph": latent_graph(latents, again, active, alpha=options.alpha, seed=options.seed).as_json(),
    }


def _write_latents(folder: StudyFolder, data: OwnData, latents: np.ndarray) -> None:
    write_text(folder.latents, latents_frame(latents, data.index, data.index_name).to_csv())


def _draw_traversals(
    folder: StudyFolder, manifest: Manifest, reference: PDGMM, rows: _Split, trusted: list[bool]
) -> None:
    from pdgmm.analysis.fitting.traversals import draw_latent_traversals

    stem = folder.path / "figures" / "traversals"
    draw_latent_traversals(stem, manifest, reference, rows.held_out, trusted)
