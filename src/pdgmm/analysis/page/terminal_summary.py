"""The answers in a few lines, for the terminal."""

from pdgmm.analysis.answers import Answers
from pdgmm.analysis.wording import count_of


def summary(found: Answers) -> str:
    """What was found and how far it can be trusted."""
    trusted = ", ".join(map(str, sorted(found.trusted)))
    lines = [
        f"{len(found.trusted)} of {count_of(found.n_latents, 'latent')} can be trusted"
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
