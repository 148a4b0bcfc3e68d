"""Do the assumptions hold under which the latents can be found?"""

from collections import Counter

from pdgmm.analysis.answers import Diagnostics, LatentAssumptions, Verdict
from pdgmm.analysis.page.page_parts import Picture, Row, Section, Table
from pdgmm.analysis.page.pattern_figure import NARROW_LATENTS, draw_patterns, most_frequent
from pdgmm.analysis.page.quantile_figure import draw_quantiles, shown_latents
from pdgmm.analysis.page.rest_figure import draw_rest
from pdgmm.analysis.page.verdicts import WORDS, worst
from pdgmm.analysis.wording import count_of, latent_heading, latents, number, percent

BADGES = {"holds": "Yes", "doubtful": "Doubtful", "violated": "No", "unknown": "Not checked"}
OTHERWISE = {
    "violated": "does not hold for",
    "doubtful": "is doubtful for",
    "unknown": "could not be checked for",
}


def assumptions_section(found: Diagnostics) -> Section:
    assumptions = found.assumptions
    verdict = assumptions_verdict(found)
    return Section(
        anchor="assumptions",
        question="Do the assumptions hold?",
        verdict=verdict,
        badge=BADGES[verdict],
        sentence=latents_sentence(found),
        remarks=(
            f"Enough different patterns ({WORDS[assumptions.variability.verdict]}): "
            f"{assumptions.variability.sentence}",
            f"Mixing ({WORDS[assumptions.mixing.verdict]}): {assumptions.mixing.sentence}",
        ),
        pictures=_pictures(found),
        tables=(_latents_table(found), *_pattern_tables(found), _mixing_table(found)),
    )


def assumptions_verdict(found: Diagnostics) -> Verdict:
    """The worst of the latents', of the patterns' and of the mixing's."""
    assumptions = found.assumptions
    return worst(
        [latents_verdict(found), assumptions.variability.verdict, assumptions.mixing.verdict],
    )


def latents_verdict(found: Diagnostics) -> Verdict:
    return worst(entry.verdict for entry in found.assumptions.latents)


def latents_sentence(found: Diagnostics) -> str:
    """How many latents rest at one value and are Gaussian elsewhere, as they should."""
    numbers: dict[Verdict, list[int]] = {}
    for entry in found.assumptions.latents:
        numbers.setdefault(entry.verdict, []).append(entry.latent)
    fine = len(numbers.get("holds", []))
    text = (
        f"{fine} of {count_of(found.n_latents, 'latent')} {'rests' if fine == 1 else 'rest'} at one value in part "
        f"of the rows and {'is' if fine == 1 else 'are'} Gaussian in the others, as assumed"
    )
    others = [
        f"{words} {latents(numbers[verdict])}" for verdict, words in OTHERWISE.items() if verdict in numbers
    ]
    return f"{text}; this {', '.join(others)}." if others else f"{text}."


def _pictures(found: Diagnostics) -> tuple[Picture, ...]:
    entries = found.assumptions.latents
    pictures = [
        Picture(
            "rest",
            "How often latents rest",
            draw_rest(found),
            _rest_alternative(entries),
            "How often each latent rests at one value. A latent that never rests, or always does, cannot be told "
            "from the others by when it is active. Grey rows with a question mark cannot be trusted.",
        )
    ]
    shown = shown_latents(entries)
    if shown:
        pictures.append(_quantile_picture(found, shown))
    patterns = most_frequent(found.assumptions.patterns)
    if patterns:
        first = patterns[0]
        pictures.append(
            Picture(
                "patterns",
                "Patterns",
                draw_patterns(patterns, found.n_latents, found.trusted),
                f"Dot matrix of {count_of(len(patterns), 'pattern')}, one a row, with a bar for the share of rows. "
                f"The most frequent has {latents(sorted(first.active))} active, in {percent(first.share)} of the "
                f"rows; the last one drawn comes in {percent(patterns[-1].share)}.",
                f"Which latents are active together: the {count_of(len(patterns), 'most frequent pattern')}. "
                "Hollow: the latent cannot be trusted.",
                wide=found.n_latents > NARROW_LATENTS,
            )
        )
    return tuple(pictures)


def _rest_alternative(entries: list[LatentAssumptions]) -> str:
    known = [entry for entry in entries if entry.spike_share is not None]
    start = f"Dot plot with a row for each of {count_of(len(entries), 'latent')}."
    if not known:
        return f"{start} There are no dots: the shares could not be measured."
    low, high = (pick(known, key=lambda entry: entry.spike_share) for pick in (min, max))
    return (
        f"{start} The share of rows at rest goes from {percent(low.spike_share)} (latent {low.latent}) to "
        f"{percent(high.spike_share)} (latent {high.latent})."
    )


def _quantile_picture(found: Diagnostics, shown: list[LatentAssumptions]) -> Picture:
    counts = Counter(entry.verdict for entry in shown)
    summary = ", ".join(f"{WORDS[v]}: {counts[v]}" for v in WORDS if counts[v])
    left_out = found.n_latents - len(shown)
    return Picture(
        "normality",
        "Q–Q plots",
        draw_quantiles(shown, found.trusted),
        f"{count_of(len(shown), 'Q-Q plot')}, for {latents([entry.latent for entry in shown])}. A Gaussian latent "
        f"follows its dashed line. Verdicts, {summary}; what is wrong with each stands in the table.",
        "Is a latent Gaussian in the rows in which it does not rest? Then its dots lie on the dashed line. "
        + (
            f"The {len(shown)} with the worst verdicts are drawn, {left_out} more are in the table. "
            if left_out
            else ""
        )
        + "Grey panels with a question mark belong to latents that cannot be trusted.",
        wide=len(shown) > 4,
    )


def _latents_table(found: Diagnostics) -> Table:
    rows = tuple(
        Row(
            (
                latent_heading(entry.latent, found.trusted),
                WORDS[entry.verdict],
                entry.sentence,
                percent(entry.spike_share, 1),
                number(entry.spike_value),
                number(entry.spike_width, 3),
                f"{entry.active_samples:,}",
                f"{entry.gaussianity.test} {number(entry.gaussianity.statistic, 3)}",
                number(entry.gaussianity.critical_value, 3),
                number(entry.gaussianity.skewness),
                number(entry.gaussianity.kurtosis),
            ),
            entry.latent in found.trusted,
        )
        for entry in found.assumptions.latents
    )
    head = (
        "Latent",
        "Verdict",
        "In words",
        "At rest",
        "Rests at",
        "Width of rest",
        "Active rows",
        "Normality test",
    )
    return Table(
        "Each latent: where it rests, and how normal it is elsewhere",
        (*head, "Critical value at 1 %", "Skewness", "Kurtosis"),
        rows,
    )


def _pattern_tables(found: Diagnostics) -> tuple[Table, ...]:
    assumptions = found.assumptions
    tables = []
    if assumptions.patterns:
        ordered = sorted(assumptions.patterns, key=lambda pattern: -pattern.share)
        tables.append(
            Table(
                f"Patterns of active latents; together {percent(assumptions.patterns_share)} of the rows",
                ("Pattern", "Share of rows", "Active latents"),
                tuple(
                    Row(
                        (
                            str(place),
                            percent(pattern.share, 1),
                            ", ".join(map(str, sorted(pattern.active))) or "none",
                        )
                    )
                    for place, pattern in enumerate(ordered, start=1)
                ),
            )
        )
    pairs = assumptions.variability.pairs_not_separated
    if pairs:
        tables.append(
            Table(
                "Pairs of latents that no pattern tells apart",
                ("First", "Second"),
                tuple(
                    Row(
                        tuple(latent_heading(latent, found.trusted) for latent in pair),
                        found.trusted.issuperset(pair),
                    )
                    for pair in pairs
                ),
            )
        )
    return tuple(tables)


def _mixing_table(found: Diagnostics) -> Table:
    mixing = found.assumptions.mixing
    flow = "not fitted" if mixing.flow_log_likelihood is None else number(mixing.flow_log_likelihood, 3)
    return Table(
        "Log-likelihood of unseen rows by kind of mixing; higher is better",
        ("Mixing", "Log-likelihood"),
        (Row(("affine", number(mixing.affine_log_likelihood, 3))), Row(("nonlinear (flow)", flow))),
    )
