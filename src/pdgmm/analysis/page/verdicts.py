"""Verdicts: which of several is the worst, and what the page concludes where the file holds none."""

from collections.abc import Iterable

from pdgmm.analysis.answers import Diagnostics, Verdict

FROM_WORST: tuple[Verdict, ...] = ("violated", "doubtful", "unknown", "holds")

WORDS: dict[Verdict, str] = {
    "holds": "holds",
    "doubtful": "doubtful",
    "violated": "does not hold",
    "unknown": "not checked",
}

STABLE_FROM = 0.8
"""An edge found in at least this share of the repetitions is called stable."""


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """The worst of some verdicts; an unchecked one is worse than one that holds, of none it is ``unknown``."""
    return min(verdicts, key=FROM_WORST.index, default="unknown")


def meaning_verdict(found: Diagnostics) -> Verdict:
    """What a latent means can be read off as far as the latent itself is trusted."""
    if not found.trusted:
        return "violated"
    return "holds" if len(found.trusted) == found.n_latents else "doubtful"


def graph_verdict(found: Diagnostics) -> Verdict:
    """A graph holds if all its latents are trusted and all its edges stable; one latent has no graph."""
    if found.n_latents < 2:
        return "unknown"
    if not found.trusted:
        return "violated"
    if len(found.trusted) < found.n_latents:
        return "doubtful"
    stabilities = [edge.stability for edge in found.graph.edges]
    if None in stabilities:
        return "unknown"
    return "holds" if all(value >= STABLE_FROM for value in stabilities) else "doubtful"
