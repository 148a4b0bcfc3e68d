"""The analysis itself: one fit that the answers are about, and further fits that tell what to make of them."""

import time
import warnings
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import pdgmm
from pdgmm.analysis.answers import Answers, Count, Data, FitSettings, Part
from pdgmm.analysis.diagnostics.activity import Marginals, activity
from pdgmm.analysis.diagnostics.assumptions import assumptions
from pdgmm.analysis.diagnostics.edges import latent_graph
from pdgmm.analysis.diagnostics.latent_count import count_latents
from pdgmm.analysis.diagnostics.mixing_check import affine_log_likelihoods, mixing
from pdgmm.analysis.diagnostics.sensitivity import sensitivity
from pdgmm.analysis.diagnostics.spikes import spike_evidence
from pdgmm.analysis.diagnostics.stability import identified
from pdgmm.analysis.fitting.analysis_folder import AFFINE, REFERENCE, AnalysisFolder
from pdgmm.analysis.fitting.analysis_options import AnalysisOptions
from pdgmm.analysis.fitting.enough_rows import check_rows, held_out_rows
from pdgmm.analysis.fitting.latents_files import latents_frame
from pdgmm.analysis.fitting.manifest import Manifest
from pdgmm.analysis.fitting.progress import Progress
from pdgmm.analysis.reading.own_data import OwnData, read
from pdgmm.analysis.reading.read_options import ReadOptions
from pdgmm.estimator import PDGMM
from pdgmm.seeds import child_generator, child_seed
from pdgmm.store.atomic import write_text

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


@dataclass(frozen=True)
class _Fits:
    """The fit that the answers are about, one without a flow, and those on resampled rows."""

    reference: PDGMM
    affine: PDGMM
    again: Sequence[PDGMM]


def run_analysis(
    path: Path, out: Path, reading: ReadOptions, options: AnalysisOptions, *, show_progress: bool = False
) -> Answers:
    """Fit the data at ``path``, check the fit, write everything into ``out``; returns the answers.

    What is already there of the same analysis is not done again, so an interrupted call goes on where it was.
    """
    started = time.monotonic()
    folder = AnalysisFolder(out)
    folder.check_usable()
    data = read(path, reading)
    check_rows(*data.values.shape, options.n_latents)
    manifest = folder.begin(path, data, reading, options)
    rows = _split(manifest.standardised(data.values), options.seed)
    with Progress(options, show_progress) as progress:
        progress.begin("number of latents", folder.has_count)
        count = folder.counted(lambda: _count(rows, options))
        fits = _fits(folder, rows, count.chosen, options, progress)
        progress.begin("checks")
        answers = Answers(
            data=Data(
                file=Path(path).name,
                rows=len(data.values),
                rows_in_file=data.rows_in_file,
                columns=list(data.columns),
                image_shape=data.image_shape,
                notes=list(data.notes),
            ),
            settings=FitSettings(
                **options.model_dump(include={"quick", "n_latents", "fits", "seed"}),
                pdgmm_version=pdgmm.__version__,
            ),
            count=count,
            **_checks(data.columns, rows, fits, options),
            seconds=round(time.monotonic() - started, 1),
        )
    _write_latents(folder, data, fits.reference.transform(manifest.standardised(data.values)))
    if manifest.image_shape is not None:
        _draw_traversals(folder, manifest, fits.reference, rows, answers.trusted)
    folder.write_answers(answers)
    return answers


def _split(values: np.ndarray, seed: int) -> _Split:
    order = child_generator(seed, "held out").permutation(len(values))
    held_out = held_out_rows(len(values))
    return _Split(values[order[held_out:]], values[order[:held_out]])


def _count(rows: _Split, options: AnalysisOptions) -> Count:
    seed = child_seed(options.seed, "count") % 2**31
    train, held_out = rows.train[:COUNT_ROWS], rows.held_out[:COUNT_ROWS]
    return count_latents(train, held_out, asked=options.n_latents, seed=seed)


def _fits(
    folder: AnalysisFolder, rows: _Split, n_latents: int, options: AnalysisOptions, progress: Progress
) -> _Fits:
    """All fits, those that are there from the folder."""
    shape = (rows.train.shape[1], n_latents)

    def fitted(
        part: str, name: str, train: np.ndarray, number: int = 0, affine: bool = options.quick
    ) -> PDGMM:
        progress.begin(part, folder.has_fit(name))
        return folder.fitted(name, shape, lambda: _fit(train, n_latents, options, number, affine))

    reference = fitted("first fit", REFERENCE, rows.train)
    affine = reference if options.quick else fitted("affine fit", AFFINE, rows.train, affine=True)
    again = []
    for number in range(1, options.fits + 1):
        part = f"fit {number} of {options.fits} on resampled rows"
        again.append(
            fitted(part, f"resampled-{number}", _resampled(rows.train, options.seed, number), number)
        )
    return _Fits(reference, affine, again)


def _fit(train: np.ndarray, n_latents: int, options: AnalysisOptions, number: int, affine: bool) -> PDGMM:
    seed = child_seed(options.seed, "fit", number) % 2**31
    estimator = PDGMM(n_latents, nonlinear=not affine, steps=options.steps, random_state=seed)
    with warnings.catch_warnings():
        # What it warns of is among the answers.
        warnings.simplefilter("ignore", UserWarning)
        return estimator.fit(train)


def _resampled(train: np.ndarray, seed: int, number: int) -> np.ndarray:
    count = int(RESAMPLED_SHARE * len(train))
    chosen = child_generator(seed, "resampled", number).permutation(len(train))[:count]
    return train[np.sort(chosen)]


def _checks(columns: Sequence[str], rows: _Split, fits: _Fits, options: AnalysisOptions) -> dict[str, Part]:
    """The parts of the answers that the diagnostics fill."""
    reference = fits.reference
    fitted, new = reference.transform(rows.train[:COUNT_ROWS]), reference.transform(rows.held_out)
    # The same rows under every fit; with few of them all rows serve, seen or not, and the page says so.
    seen_too = len(rows.held_out) < HELD_OUT_ROWS_PER_LATENT * reference.n_latents_
    shared = np.vstack([rows.train, rows.held_out]) if seen_too else rows.held_out
    latents = reference.transform(shared)
    again = [refit.transform(shared) for refit in fits.again]
    spikes = spike_evidence(reference, fitted, new)
    active = activity(latents, reference, spikes)
    flow = None if options.quick else reference.score_samples(rows.held_out)
    mixed = mixing(affine_log_likelihoods(fits.affine, rows.train, rows.held_out), flow)
    checked = assumptions(latents, reference, spikes, mixed)
    return {
        "identified": identified(
            latents,
            again,
            active,
            spikes,
            marginals=Marginals.of(reference),
            inseparable=checked.variability.inseparable,
            fitted_rows_too=seen_too,
        ),
        "assumptions": checked,
        "meaning": sensitivity(reference.inverse_transform, latents, shared, columns),
        "graph": latent_graph(latents, again, active, alpha=options.alpha, seed=options.seed),
    }


def _write_latents(folder: AnalysisFolder, data: OwnData, latents: np.ndarray) -> None:
    write_text(folder.latents, latents_frame(latents, data.index, data.index_name).to_csv())


def _draw_traversals(
    folder: AnalysisFolder, manifest: Manifest, reference: PDGMM, rows: _Split, trusted: Collection[int]
) -> None:
    from pdgmm.analysis.fitting.traversals import draw_latent_traversals

    draw_latent_traversals(folder.figures / "traversals", manifest, reference, rows.held_out, trusted)
