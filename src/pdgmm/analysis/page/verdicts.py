"""What follows from the answers: verdicts on latents, assumptions, meaning and graph, and a few lines to print."""

import textwrap
from collections.abc import Iterable

from pdgmm.analysis.answers import STABLE_EDGE, Answers, Verdict
from pdgmm.analysis.wording import counted, latents, listed_numbers, plain

WIDTH, SCREEN = 100, 22
"""Columns and lines of a terminal that are used: two more lines say which page to open."""

MOST_LINES = (4, 3, 2)
"""Lines of a sentence, the most that fit on the screen; what is longer is cut."""

MOST_REASONS, MOST_NUMBERS = 5, 8
"""Reasons that are printed, and numbers of latents that are printed beside a reason."""

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


def sure_word(found: Answers) -> str:
    """What is said of latents that the page does not mark: no latent of a named method is called trusted."""
    return "trusted" if found.settings.method is None else "found again"


def unsure_words(found: Answers) -> str:
    """What is said of those that it marks."""
    return "cannot be trusted" if found.settings.method is None else "did not come out again"


def headline(found: Answers) -> str:
    """How many latents can be trusted or, of a named method, were found again."""
    method = found.settings.method
    said = "can be trusted" if method is None else f"of {method} found again in every fit"
    return f"{len(found.sure)} of {counted(found.n_latents, 'latent')} {said}"


def unchecked(found: Answers) -> str:
    """Why no latent of a named method is trusted."""
    return f"What {found.settings.method} assumes was not checked, so no latent is called trusted."


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
        f"in the others, as assumed{'; this ' if others else ''}{'; it '.join(others)}."
    )


def assumptions_verdict(found: Answers) -> Verdict:
    """The worst of the latents', of the patterns' and of the mixing's."""
    checked = found.assumptions
    return worst([latents_verdict(found), checked.variability.verdict, checked.mixing.verdict])


def meaning_verdict(found: Answers) -> Verdict:
    """What a latent means can be read off as far as the latent itself is trusted."""
    if not found.sure:
        return "violated"
    return "doubtful" if found.unsure else "holds"


def graph_verdict(found: Answers) -> Verdict:
    """A graph holds if all its latents are trusted and all its edges stable; one latent has no graph."""
    if found.n_latents < 2:
        return "unknown"
    if not found.sure or found.unsure:
        return meaning_verdict(found)
    stabilities = [edge.stability for edge in found.graph.edges]
    if None in stabilities:
        return "unknown"
    return "holds" if all(value >= STABLE_EDGE for value in stabilities) else "doubtful"


def summary(found: Answers) -> str:
    """What was found and how far it can be trusted: one screen, whatever the number of latents."""
    printed = (_summary(found, most) for most in MOST_LINES)
    return "\n".join(next(filter(lambda lines: len(lines) <= SCREEN, printed)))


def _summary(found: Answers, most_lines: int) -> list[str]:
    """The lines of a summary whose sentences take at most that many."""
    sure = sorted(found.sure)
    lines = [headline(found), ""]
    if sure:
        lines[0] += f": {_short(listed_numbers(sure), WIDTH - len(lines[0]) - 2)}"
    parts: dict[str, tuple[Verdict, str]] = {"number of latents": (found.count.verdict, found.count.sentence)}
    if found.assumptions:
        sentence = found.count.non_gaussian_sentence or "Not checked."
        parts["more than Gaussian"] = found.count.non_gaussian, sentence
    parts["agreement of fits"] = found.identified.verdict, found.identified.sentence
    if found.assumptions:
        checked = found.assumptions
        parts["different patterns"] = checked.variability.verdict, checked.variability.sentence
        parts["mixing"] = checked.mixing.verdict, checked.mixing.sentence
    else:
        parts["assumptions"] = "unknown", unchecked(found)
    if found.domains:
        parts["domains"] = found.domains.verdict, found.domains.sentence
    for name, (verdict, sentence) in parts.items():
        lines += _wrapped(f"  {name:<19} {WORDS[verdict]:<14} ", sentence, most_lines)
    against = doubted_by_reason(found)
    if against:
        lines += [
            "",
            f"  What speaks against {'the others' if sure else 'them'} (several reasons for some):",
        ]
        for reason, numbers in list(against.items())[:MOST_REASONS]:
            which = "" if len(numbers) > MOST_NUMBERS else f" ({listed_numbers(numbers)})"
            lines.append(_short(f"    {counted(len(numbers), 'latent')}: {reason}{which}", WIDTH))
    notes = found.data.notes
    if notes:
        more = f" (and {counted(len(notes) - 1, 'more note')} on the page)" if len(notes) > 1 else ""
        lines += ["", *_wrapped("  Note: ", _short(notes[0], 2 * (WIDTH - 10) - len(more)) + more, 2)]
    return lines


def doubted_by_reason(found: Answers) -> dict[str, list[int]]:
    """The latents that each doubt speaks against, the most frequent doubt first."""
    against: dict[str, list[int]] = {}
    for entry in found.identified.latents:
        for doubt in entry.doubts:
            against.setdefault(doubt, []).append(entry.latent)
    return dict(sorted(against.items(), key=lambda item: -len(item[1])))


def _wrapped(head: str, text: str, most: int) -> list[str]:
    """At most that many lines, each below the first's text."""
    room = textwrap.wrap(plain(text), WIDTH - len(head), max_lines=most, placeholder=" …")
    return [(head if place == 0 else " " * len(head)) + line for place, line in enumerate(room or [""])]


def _short(text: str, width: int) -> str:
    """On one line of that width, with its indentation."""
    text = plain(text)
    indent = " " * (len(text) - len(text.lstrip()))
    return indent + textwrap.shorten(text, width - len(indent), placeholder=" …")
