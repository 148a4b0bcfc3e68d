"""The box at the top: what can be trusted, what holds, and what to do with the files."""

from dataclasses import dataclass
from pathlib import Path

from pdgmm.analysis.page.assumptions_section import latents_sentence, latents_verdict
from pdgmm.analysis.answers import Diagnostics, Verdict
from pdgmm.analysis.wording import count_of, latents

GROUPS: dict[Verdict, str] = {
    "violated": "What does not hold",
    "doubtful": "What is doubtful",
    "unknown": "What could not be checked",
    "holds": "What holds",
}

FILES = {
    "latents.csv": "the latents: a line for every row of your data, a column for every latent. Use the columns of "
    "trusted latents; leave out the others.",
    "fits": "the fits: keep this folder and study.json to get the latents of new rows with `pdgmm encode`.",
    "diagnostics.json": "every number on this page.",
    "figures": "every figure on this page, as SVG and PNG.",
}
"""Files a study's folder may hold, and what they are for."""

TRUSTED_MEANS = (
    "A latent is trusted when independent fits, each from its own start, find it again up to order, sign and scale, "
    "and no check gives a reason against it; the reason stands beside each latent. Trusted does not mean true: it "
    "means that the data and the assumptions below determine this latent. A latent that is not trusted may change "
    "with the next fit: do not give it a name."
)


@dataclass(frozen=True)
class Group:
    """Verdicts of one kind: a heading and ``(what, sentence)`` pairs."""

    verdict: Verdict
    heading: str
    items: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Summary:
    headline: str
    verdict: Verdict
    data: str
    warnings: tuple[str, ...]
    groups: tuple[Group, ...]
    notes: tuple[str, ...]
    files: tuple[tuple[str, str], ...]
    trusted_means: str = TRUSTED_MEANS


def summarise(found: Diagnostics, folder: Path) -> Summary:
    """The summary of a study in ``folder``."""
    trusted, n = len(found.trusted), found.n_latents
    present = [name for name in FILES if name == "figures" or (folder / name).exists()]
    return Summary(
        headline=f"{trusted} of {count_of(n, 'latent')} can be trusted",
        verdict="holds" if trusted == n else "doubtful" if trusted else "violated",
        data=_data_sentence(found),
        warnings=_warnings(found),
        groups=_groups(found),
        notes=tuple(found.data.notes),
        files=tuple((name, FILES[name]) for name in present),
    )


def _data_sentence(found: Diagnostics) -> str:
    data = found.data
    rows = count_of(data.rows, "row")
    if data.rows != data.rows_in_file:
        rows += f" (of {data.rows_in_file:,} in the file)"
    if data.image_shape is not None:
        height, width, channels = data.image_shape
        return f"{rows}, each an image of {height} by {width} pixels with {count_of(channels, 'channel')}."
    return f"{rows} and {count_of(len(data.columns), 'column')}."


def _warnings(found: Diagnostics) -> tuple[str, ...]:
    warnings = []
    if not found.trusted:
        warnings.append("No latent can be trusted. Nothing below is a finding; it shows why.")
    else:
        doubted = sorted(set(range(1, found.n_latents + 1)) - found.trusted)
        if doubted:
            warnings.append(
                f"Leave out {latents(doubted)}: grey and marked with a question mark on this page."
            )
    if found.settings.quick:
        warnings.append("This was a quick look. Fit again without --quick before you rely on it.")
    return tuple(warnings)


def _groups(found: Diagnostics) -> tuple[Group, ...]:
    assumptions = found.assumptions
    checks: list[tuple[Verdict, str, str]] = [
        (found.count.verdict, "Number of latents", found.count.sentence),
        (found.identified.verdict, "Agreement of fits", found.identified.sentence),
        (latents_verdict(found), "Rest and normality", latents_sentence(found)),
        (assumptions.variability.verdict, "Different patterns", assumptions.variability.sentence),
        (assumptions.mixing.verdict, "Mixing", assumptions.mixing.sentence),
    ]
    groups = []
    for verdict, heading in GROUPS.items():
        items = tuple((what, sentence) for one, what, sentence in checks if one == verdict)
        if items:
            groups.append(Group(verdict, heading, items))
    return tuple(groups)
