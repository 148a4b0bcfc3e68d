"""The answers in a few lines, for the terminal."""

from typing import Any


def summary(answers: dict[str, Any]) -> str:
    """What was found and how far it can be trusted."""
    found = answers["identified"]["latents"]
    trusted = [str(one["latent"]) for one in found if one["trusted"]]
    lines = [
        f"{len(trusted)} of {len(found)} latents can be trusted"
        + (f": {', '.join(trusted)}" if trusted else ""),
        "",
    ]
    parts = {
        "how many": answers["count"],
        "identified": answers["identified"],
        "told apart": answers["assumptions"]["variability"],
        "mixing": answers["assumptions"]["mixing"],
    }
    lines += [f"  {name:<11} {part['verdict']:<9} {part['sentence']}" for name, part in parts.items()]
    for one in answers["assumptions"]["latents"]:
        verdict = "trusted" if found[one["latent"] - 1]["trusted"] else "untrusted"
        lines.append(f"  latent {one['latent']:<4} {verdict:<9} {found[one['latent'] - 1]['reason']}")
    lines += [f"  note: {note}" for note in answers["data"]["notes"]]
    return "\n".join(lines)
