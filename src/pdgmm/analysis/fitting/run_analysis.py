"""The analysis itself: one fit that the answers are about, and further fits that tell what to make of them."""

import math
import time
import warnings
from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np

import pdgmm
from pdgmm.analysis.answers import Answers, Count, Data, FitSettings, Part
from pdgmm.analysis.diagnostics.assumptions import affine_log_likelihoods, assumptions, mixing
from pdgmm.analysis.diagnostics.bending import bends
from pdgmm.analysis.diagnostics.edges import latent_graph
from pdgmm.analysis.diagnostics.failed_assumptions import failed_assumptions
from pdgmm.analysis.diagnostics.latent_count import TRAINING_SAMPLES_PER_LATENT, count_latents, most_latents
from pdgmm.analysis.diagnostics.sensitivity import sensitivity
from pdgmm.analysis.diagnostics.spikes import Marginals, activity, spike_evidence
from pdgmm.analysis.diagnostics.stability import identified
from pdgmm.analysis.fitting.analysis_folder import (
    AFFINE,
    REFERENCE,
    AnalysisFolder,
    Fit,
    Manifest,
    write_model,
)
from pdgmm.analysis.fitting.chain_checks import chain_checks, for_method
from pdgmm.analysis.fitting.chain_fitting import Parts, checked_parts, fit_chain
from pdgmm.analysis.fitting.encoding import write_csv
from pdgmm.analysis.fitting.progress import Progress
from pdgmm.analysis.fitting.row_splits import (
    HELD_OUT_SHARE,
    RESAMPLED_SHARE,
    Rows,
    compared_rows,
    held_out_count,
    resampled,
    split,
)
from pdgmm.analysis.options import AnalysisOptions, ReadOptions
from pdgmm.analysis.reading.domain_labels import check_domains
from pdgmm.analysis.reading.own_data import read
from pdgmm.catalogue import JOINT
from pdgmm.errors import UserError
from pdgmm.estimator import PDGMM
from pdgmm.methods.domains.domain_rows import FEWEST_ROWS
from pdgmm.seeds import child_seed
from pdgmm.store.atomic import whole_file

COUNT_ROWS = 20_000
"""Rows that the number of latents is chosen on."""

FEWEST_ROWS_OF_DOMAIN = math.ceil(FEWEST_ROWS / ((1 - HELD_OUT_SHARE) * RESAMPLED_SHARE))
"""So that every fit sees as many rows of each domain as methods for several domains need."""

MOST_TRAVERSALS = 20


def run_analysis(
    path: Path, out: Path, reading: ReadOptions, options: AnalysisOptions, *, show_progress: bool = False
) -> Answers:
    """Fit the data at ``path``, check the fit, write everything into ``out``; returns the answers.

    What is already there of the same analysis is not done again, so an interrupted call goes on where it was.
    """
    started = time.monotonic()
    folder = AnalysisFolder(out)
    folder.check_usable()
    parts = checked_parts(options, path)
    data = read(path, reading, options.domain_column)
    check_rows(*data.values.shape, options.n_latents)
    if data.domains is not None:
        check_domains(data.domains, FEWEST_ROWS_OF_DOMAIN, path, options.domain_column)
    manifest = folder.begin(path, data, reading, options)
    rows = Rows(manifest.standardised(data.values), None if data.domains is None else data.domains.u)
    train, held_out = split(rows, options.seed)
    with Progress(options, show_progress) as progress:
        progress.begin("number of latents", folder.has_count)
        seed = child_seed(options.seed, "count") % 2**31
        count = folder.counted(lambda: _count(train, held_out, options.n_latents, seed))
        fits = _fits(folder, train, count.chosen, options, parts, progress)
        progress.begin("checks")
        if parts:
            count = for_method(count, JOINT.join(options.chain), data.domains is not None)
            checks = chain_checks(data.columns, train, held_out, fits, options, manifest.domains)
        else:
            checks = _checks(data.columns, train, held_out, fits, options)
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
                method=JOINT.join(options.chain) or None,
            ),
            count=count,
            **checks,
            seconds=round(time.monotonic() - started, 1),
        )
    reference = fits[0]
    latents = rows.latents(reference)
    with whole_file(folder.latents) as temporary:
        write_csv(temporary, [(data.index, latents)], data.index_name)
    if manifest.image_shape is not None and (not parts or reference.decodes):
        _draw_traversals(folder.figures / "traversals", manifest, reference, held_out.x, answers.sure)
    write_model(folder.diagnostics, answers)
    return answers


def _count(train: Rows, held_out: Rows, asked: int | None, seed: int) -> Count:
    """The number of latents; of several domains that of Gaussian latents inside domains.

    Rows of a narrow domain lie close together, which would look like latents that rest.
    """
    some = [rows.taken(slice(COUNT_ROWS)) for rows in (train, held_out)]
    starts = {} if train.u is None else {"starts": 0}
    return count_latents(*(rows.inside_domains(rows.x) for rows in some), asked=asked, seed=seed, **starts)


def check_rows(rows: int, columns: int, asked: int | None) -> None:
    """A :class:`UserError` where a table of this size cannot answer what is asked, before anything is fitted."""

    def rows_for(latents: int) -> int:
        return math.ceil(latents * TRAINING_SAMPLES_PER_LATENT / (1 - HELD_OUT_SHARE))

    most = most_latents(rows - held_out_count(rows))
    if most < 1:
        raise UserError(f"{rows} rows are too few for even one latent: give at least {rows_for(1)}")
    if asked is None:
        return
    if asked > columns:
        raise UserError(f"--n-latents {asked} is more than the data have columns: ask for at most {columns}")
    if asked > most:
        raise UserError(
            f"--n-latents {asked} is too many for {rows:,} rows: give at least {rows_for(asked):,} rows, or ask for "
            f"at most {min(most, columns)} latents"
        )


def _fits(
    folder: AnalysisFolder,
    train: Rows,
    n_latents: int,
    options: AnalysisOptions,
    parts: Parts,
    progress: Progress,
) -> list[Fit]:
    """The fit that the answers are about, one without a flow, and those on resampled rows; kept ones are loaded.

    With the ``parts`` of a chain these are fitted, and the one without a flow is left out.
    """
    shape = (train.x.shape[1], n_latents)

    def fitted(part: str, name: str, number: int = 0, affine: bool = options.quick) -> Fit:
        def fit() -> Fit:
            rows = resampled(train, options.seed, number) if number else train
            seed = child_seed(options.seed, "fit", number) % 2**31
            if parts:
                return fit_chain(parts, rows.x, rows.u, n_latents, seed)
            estimator = PDGMM(
                n_latents, nonlinear=not affine, steps=options.steps, reliability=False, random_state=seed
            )
            with warnings.catch_warnings():
                # What it warns of is among the answers.
                warnings.simplefilter("ignore", UserWarning)
                return estimator.fit(rows.x)

        progress.begin(part, folder.has_fit(name))
        return folder.fitted(name, shape, fit)

    reference = fitted("first fit", REFERENCE)
    affine = []
    if not parts:
        affine = [reference if options.quick else fitted("affine fit", AFFINE, affine=True)]
    again = [
        fitted(f"fit {number} of {options.fits} on resampled rows", f"resampled-{number}", number)
        for number in range(1, options.fits + 1)
    ]
    return [reference, *affine, *again]


def _checks(
    columns: Sequence[str],
    train: Rows,
    held_out: Rows,
    fits: Sequence[PDGMM],
    options: AnalysisOptions,
) -> dict[str, Part]:
    """The parts of the answers that the diagnostics fill."""
    reference, affine, *refits = fits
    shared, seen_too = compared_rows(train, held_out, reference.n_latents_)
    train, held_out, shared = train.x, held_out.x, shared.x
    fitted, new = reference.transform(train[:COUNT_ROWS]), reference.transform(held_out)
    latents = reference.transform(shared)
    again = [refit.transform(shared) for refit in refits]
    marginals = Marginals.of(reference)
    spikes = spike_evidence(marginals, fitted, new)
    active = activity(latents, marginals, spikes)
    flow = None if options.quick else reference.score_samples(held_out)
    mixed = mixing(affine_log_likelihoods(affine, train, held_out), flow)
    checked = assumptions(latents, active, marginals, spikes, mixed)
    bent = None if options.quick else bends(latents, affine.transform(shared), active)
    judged = identified(
        latents,
        again,
        active,
        spikes,
        marginals,
        checked.variability.inseparable,
        failed_assumptions(checked.latents, bent),
        seen_too,
    )
    return {
        "identified": judged,
        "assumptions": checked,
        "meaning": sensitivity(reference.inverse_transform, latents, shared, columns),
        "graph": latent_graph(latents, again, active, options.alpha, options.seed),
    }


def _draw_traversals(
    stem: Path, manifest: Manifest, reference: Fit, rows: np.ndarray, trusted: Collection[int]
) -> None:
    """Write ``<stem>.svg`` and ``.png``: a strip of images a latent, from its low to its high values.

    The trusted latents come first; at most ``MOST_TRAVERSALS`` are drawn.
    """
    from pdgmm.report.figure_files import save_figures
    from pdgmm.report.image_strips import draw_traversals, traversal

    latents = reference.transform(rows)
    numbers = range(1, latents.shape[1] + 1)
    shown = sorted(numbers, key=lambda latent: latent not in trusted)[:MOST_TRAVERSALS]
    strips = []
    for latent in shown:
        images = manifest.restored(reference.inverse_transform(traversal(latents, latent - 1)))
        images = images.reshape(-1, *manifest.image_shape)
        # Small values, as of data scaled to 16 grey levels, are stretched.
        highest = 255 if images.max() > 32 else max(float(images.max()), 1.0)
        images = np.clip(images / highest * 255, 0, 255)
        strips.append(np.repeat(images, 3, axis=-1) if images.shape[-1] == 1 else images[..., :3])
    names = [f"latent {latent}" + ("" if latent in trusted else " ?") for latent in shown]
    title = "What moves when one latent goes from its low to its high values"
    save_figures(draw_traversals(title, np.stack(strips), names), stem)
