"""How many latents are there?"""

from pdgmm.analysis.page.count_figure import draw_count, scored_candidates
from pdgmm.analysis.answers import Count, Diagnostics
from pdgmm.analysis.page.page_parts import Picture, Row, Section, Table
from pdgmm.analysis.wording import count_of, number, percent

BADGES = {"holds": "Clear", "doubtful": "Doubtful", "violated": "Not clear", "unknown": "Not checked"}


def count_section(found: Diagnostics) -> Section:
    count = found.count
    return Section(
        anchor="count",
        question="How many latents are there?",
        verdict=count.verdict,
        badge=BADGES[count.verdict],
        sentence=count.sentence,
        remarks=("The number was asked for, not found.",) if count.asked else (),
        pictures=_pictures(count),
        tables=_tables(count),
    )


def _pictures(count: Count) -> tuple[Picture, ...]:
    if not count.explained_variance:
        return ()
    caption = "Bars: how much of the data's variance lies in each principal direction; dark up to the chosen number."
    if scored_candidates(count):
        caption += (
            " Line: how probable rows that were not fitted are with each number of latents; higher is better."
        )
    return (Picture("count", "Variance and likelihood", draw_count(count), _alternative(count), caption),)


def _alternative(count: Count) -> str:
    shares = count.explained_variance
    kept, rest = sum(shares[: count.chosen]), shares[count.chosen :]
    text = (
        f"Bar chart of {count_of(len(shares), 'principal direction')} with a line after number {count.chosen}: "
        f"the directions before it hold {percent(min(kept, 1.0))} of the variance"
        + (f", the largest after it {percent(rest[0])}." if rest else ".")
    )
    scored = scored_candidates(count)
    if not scored:
        return text
    best = max(scored, key=lambda pair: pair[1])
    return (
        f"{text} Line chart of the log-likelihood of unseen rows for {scored[0][0]} to {scored[-1][0]} latents: "
        f"highest, {number(best[1])}, at {best[0]}; the chosen number {count.chosen} is ringed."
    )


def _tables(count: Count) -> tuple[Table, ...]:
    shares = count.explained_variance
    rows, total = [], 0.0
    for place, share in enumerate(shares, start=1):
        total += share
        rows.append(Row((str(place), percent(share, 1), percent(min(total, 1.0), 1))))
    tables = []
    if count.candidates:
        tables.append(
            Table(
                "Numbers of latents that were compared",
                ("Latents", "Log-likelihood of unseen rows", "Chosen"),
                tuple(
                    Row(
                        (
                            str(candidate.n),
                            number(candidate.held_out_log_likelihood, 3),
                            "yes" if candidate.n == count.chosen else "no",
                        )
                    )
                    for candidate in sorted(count.candidates, key=lambda candidate: candidate.n)
                ),
            )
        )
    if rows:
        rank = "" if count.rank is None else f"; the data's rank is {count.rank}"
        tables.append(
            Table(f"Variance of the principal directions{rank}", ("Direction", "Share", "Sum"), tuple(rows))
        )
    return tuple(tables)
