"""Methods of the catalogue fitted to a user's own data, in place of the estimator."""

import warnings
from pathlib import Path

import numpy as np

from pdgmm.analysis.fitting.fitted_chain import FittedChain, encoded
from pdgmm.analysis.options import AnalysisOptions
from pdgmm.catalogue import JOINT
from pdgmm.errors import FitFailed, UserError
from pdgmm.fitting.run import Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods import METHODS, method_class
from pdgmm.methods.base import Method
from pdgmm.methods.chain_names import lacks, parsed_chain
from pdgmm.seeds import child_seed

Parts = list[tuple[str, Method]]
"""The methods of a chain with their names."""


def checked_parts(options: AnalysisOptions, path: Path) -> Parts:
    """The methods to fit to the file at ``path``, none for the estimator.

    One that needs what the file does not have, and an option that the methods do not have, is a :class:`UserError`.
    """
    if options.method is not None:
        problems: list[str] = []
        parsed_chain(options.method, METHODS, "--method", problems)
        if problems:
            raise UserError("; ".join(problems))
        if options.quick:
            raise UserError(f"--quick is for the fit without --method: leave it out for {options.method}")
    parts = [(name, method_class(name)()) for name in options.chain]
    asked_for = f"--method {JOINT.join(options.chain)}"
    side = () if options.domain_column is None else ("u",)
    for name, method in parts:
        for lack in lacks(method, side, ()):
            fix = "give the column that says the domain of each row with --domain-column"
            if method.told:
                fix = "it is a reference for drawn data, so choose another method"
            raise UserError(f"{asked_for}: {name} {lack}, and {path} does not say it: {fix}")
        if method.reads_images:
            raise UserError(
                f"{asked_for}: {name} reads images, and here every row of {path} is a list of "
                "standardised numbers: choose a method that reads columns"
            )
    if parts and side and not any(method.sees for _, method in parts):
        able = [
            name for name in METHODS if not lacks(method_class(name)(), side, ()) and method_class(name).sees
        ]
        raise UserError(
            f"{asked_for} does not see domains: with --domain-column choose one of {', '.join(able)}, or "
            f"leave out --domain-column and say --drop-columns {options.domain_column!r}"
        )
    return _with_steps(parts, options.steps)


def _with_steps(parts: Parts, steps: int | None) -> Parts:
    """The same with this number of training steps in every part that trains."""
    if steps is None or not parts:
        return parts
    if not any("steps" in type(part).model_fields for _, part in parts):
        raise UserError(
            f"--steps {steps}: {JOINT.join(name for name, _ in parts)} has no training steps; leave --steps out"
        )
    changed = {"steps": steps}
    return [
        (name, type(part)(**part.model_dump() | changed) if "steps" in type(part).model_fields else part)
        for name, part in parts
    ]


def fit_chain(parts: Parts, x: np.ndarray, u: np.ndarray | None, n_latents: int, seed: int) -> FittedChain:
    """Fit the methods to rows ``x`` (rows, columns) of the domains ``u`` (rows,), each to the code of the one before.

    A fit without a usable result, or with another number of latents, is a :class:`UserError`.
    """
    code, asked, models = np.asarray(x, dtype=np.float32), n_latents, []
    for name, method in parts:
        side = {"u": u} if "u" in method.sees else {}
        try:
            with warnings.catch_warnings(action="ignore"):
                fitted = method.fit(
                    Samples(code, asked, side=side), Run(child_seed(seed, name), device="auto")
                )
            models.append(fitted.model)
            code = encoded(fitted.model, code, u)
            if not np.isfinite(code).all():
                raise FitFailed("failed", "its latents are not finite")
        except FitFailed as failure:
            raise UserError(
                f"{name} found no latents: {failure.reason}. Another --seed, other --n-latents or another --method "
                "may help"
            ) from failure
        asked = method.learned_latents(asked)
    if code.shape[1] != n_latents:
        raise UserError(
            f"{JOINT.join(name for name, _ in parts)} gives {code.shape[1]} latents where {n_latents} were asked "
            f"for: say --n-latents {code.shape[1]}, or choose another method"
        )
    return FittedChain(models, x.shape[1])
