"""What follows from the answers: verdicts on latents, assumptions, meaning and graph, and a few lines to print."""

from collections.abc import Iterable

from pdgmm.analysis.answers import STABLE_EDGE, Answers, Verdict
from pdgmm.analysis.wording import counted, latents

WORDS: dict[Verdict, str] = {
    "violated": "does not hold",
    "doubtful": "doubtful",
    "unknown": "not checked",
    "holds": "holds",
}
"""In words, from the worst."""

FROM_WORST: tuple[Verdict, ...] = tuple(WORDS)

OTHERWISE = {
    "violated": "does not hold for",
    "doubtful": "is doubtful for",
    "unknown": "could not be checked for",
}


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """The worst of some verdicts; an unchecked one is worse than one that holds, of none it is ``unknown``."""
    return min(verdicts, key=FROM_WORST.index, default="unknown")


def latents_verdict(found: Answers) -> Verdict:
    """On rest and normality of all latents."""
    return worst(entry.verdict for entry in found.assumptions.latents)


def latents_sentence(found: Answers) -> str:
    """How many latents rest at one value and are Gaussian elsewhere, as they should."""
    numbers = {
        verdict: [entry.latent for entry in found.assumptions.latents if entry.verdict == verdict]
        for verdict in WORDS
    }
    fine = len(numbers["holds"])
    rest, be = ("rests", "is") if fine == 1 else ("rest", "are")
    others = [
        f"{words} {latents(numbers[verdict])}" for verdict, words in OTHERWISE.items() if numbers[verdict]
    ]
    return (
        f"{fine} of {counted(found.n_latents, 'latent')} {rest} at one value in part of the rows and {be} Gaussian "
        f"in the others, as assumed{'; this ' if others else ''}{', '.join(others)}."
    )


def assumptions_verdict(found: Answers) -> Verdict:
    """The worst of the latents', of the patterns' and of the mixing's."""
    checked = found.assumptions
    return worst([latents_verdict(found), checked.variability.verdict, checked.mixing.verdict])


def meaning_verdict(found: Answers) -> Verdict:
    """What a latent means can be read off as far as the latent itself is trusted."""
    if not found.trusted:
        return "violated"
    return "doubtful" if found.doubted else "holds"


def graph_verdict(found: Answers) -> Verdict:
    """A graph holds if all its latents are trusted and all its edges stable; one latent has no graph."""
    if found.n_latents < 2:
        return "unknown"
    if not found.trusted or found.doubted:
        return meaning_verdict(found)
    stabilities = [edge.stability for edge in found.graph.edges]
    if None in stabilities:
        return "unknown"
    return "holds" if all(value >= STABLE_EDGE for value in stabilities) else "doubtful"


def summary(found: Answers) -> str:
    """What was found and how far it can be trusted."""
    trusted = ", ".join(map(str, sorted(found.trusted)))
    lines = [
        f"{len(found.trusted)} of {counted(found.n_latents, 'latent')} can be trusted"
        + (f": {trusted}" if trusted else ""),
        "",
    ]
    parts = {
        "how many": found.count,
        "identified": found.identified,
        "told apart": found.assumptions.variability,
        "mixing": found.assumptions.mixing,
    }
    lines += [f"  {name:<11} {part.verdict:<9} {part.sentence}" for name, part in parts.items()]
    for entry in found.identified.latents:
        verdict = "trusted" if entry.trusted else "untrusted"
        lines.append(f"  latent {entry.latent:<4} {verdict:<9} {entry.reason}")
    lines += [f"  note: {note}" for note in found.data.notes]
    return "\n".join(lines)
