"""Which latents change over domains? Means and deviations in each, and whether new rows confirm a difference."""

from collections.abc import Sequence

import numpy as np

from pdgmm.analysis.answers import DomainChanges, LatentChange, Verdict
from pdgmm.analysis.diagnostics.spikes import log_normal
from pdgmm.analysis.wording import counted
from pdgmm.analysis.wording import latents as named
from pdgmm.evaluation.correlation import standardised

LEAST_GAIN = 0.02
"""Least gain in nats a row. Two domains of equal size gain as much from variances in the ratio 1.76, or from means
that are 0.4 of the deviation over all rows apart."""

STANDARD_ERRORS = 3.0
"""The gain must exceed this many of its standard errors. Its expected value is below 0 if nothing changes."""

SMALLEST = 1e-6
"""Least deviation: that of a latent that is constant in a domain."""

Labelled = tuple[np.ndarray, np.ndarray]
"""Latents (rows, n), and the domains (rows,) of the rows."""


def domain_changes(fitted: Labelled, held_out: Labelled, column: str, names: Sequence[str]) -> DomainChanges:
    """Compare Gaussians of every domain with one Gaussian for all, latent by latent.

    ``gain_i = mean_t [log N(y_ti; m_ui, s_ui^2) - log N(y_ti; m_i, s_i^2)]`` over held-out rows t of domain u, with
    moments from the fitted rows. Means and deviations are those of all rows.
    """
    y, u = (np.concatenate(pair) for pair in zip(fitted, held_out, strict=True))
    y, count = standardised(y), len(fitted[0])
    old, new = y[:count], y[count:]
    means, deviations = _moments(old, u[:count], len(names))
    own = log_normal(new, means[u[count:]], deviations[u[count:]])
    gains = own - log_normal(new, old.mean(axis=0), np.maximum(old.std(axis=0), SMALLEST))
    gain, error = gains.mean(axis=0), gains.std(axis=0, ddof=1) / np.sqrt(len(gains))
    changes = gain > np.maximum(LEAST_GAIN, STANDARD_ERRORS * error)
    means, deviations = _moments(y, u, len(names))
    verdict, sentence = _summary(changes, column, len(names))
    return DomainChanges(
        column=column,
        names=list(names),
        rows=np.bincount(u, minlength=len(names)).tolist(),
        latents=[
            LatentChange(
                latent=place + 1,
                changes=bool(changes[place]),
                gain=float(gain[place]),
                gain_error=float(error[place]),
                means=means[:, place].tolist(),
                deviations=deviations[:, place].tolist(),
            )
            for place in range(len(changes))
        ],
        verdict=verdict,
        sentence=sentence,
    )


def _moments(y: np.ndarray, u: np.ndarray, domains: int) -> tuple[np.ndarray, np.ndarray]:
    """Means and standard deviations (domains, n)."""
    groups = [y[u == domain] for domain in range(domains)]
    deviations = [np.maximum(group.std(axis=0), SMALLEST) for group in groups]
    return np.stack([group.mean(axis=0) for group in groups]), np.stack(deviations)


def _summary(changes: np.ndarray, column: str, domains: int) -> tuple[Verdict, str]:
    """The verdict on whether the domains tell the latents apart: only those that change are told."""
    changing, same = ((np.flatnonzero(which) + 1).tolist() for which in (changes, ~changes))
    over = f"over the {domains} domains of {column!r}"
    if not changing:
        return "violated", f"No latent is seen to change {over}, so the domains tell no latents apart."
    verb = "changes" if len(changing) == 1 else "change"
    if not same:
        who = "The latent changes" if len(changing) == 1 else f"All {counted(len(changing), 'latent')} change"
        return "holds", f"{who} {over}."
    who = f"{named(changing).capitalize()} {verb} {over}"
    if len(same) == 1:
        return "doubtful", f"{who}; {named(same)} is not seen to."
    return (
        "doubtful",
        f"{who}; {named(same)} are not seen to, so the domains do not tell them from each other.",
    )
