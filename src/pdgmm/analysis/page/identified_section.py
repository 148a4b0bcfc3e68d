"""Are the latents identified: do independent fits find the same ones?"""

from pdgmm.analysis.answers import Diagnostics
from pdgmm.analysis.page.identified_figure import draw_identified
from pdgmm.analysis.page.page_parts import Picture, Row, Section, Table
from pdgmm.analysis.wording import count_of, latent_heading, latents, number

BADGES = {"holds": "Yes", "doubtful": "Partly", "violated": "No", "unknown": "Not checked"}


def identified_section(found: Diagnostics) -> Section:
    identified = found.identified
    return Section(
        anchor="identified",
        question="Are they identified?",
        verdict=identified.verdict,
        badge=BADGES[identified.verdict],
        sentence=identified.sentence,
        remarks=_remarks(found),
        pictures=(
            Picture(
                "identified",
                "Agreement of the fits",
                draw_identified(identified),
                _alternative(found),
                "Strong: the fits agree on the latent itself, up to sign and scale. Weak: they agree after the "
                "latents of one fit may be mixed linearly. Only weak agreement means that the latents are found "
                "together, not one by one. Grey rows with a question mark cannot be trusted.",
            ),
        ),
        tables=(_latents_table(found),),
    )


def _remarks(found: Diagnostics) -> tuple[str, ...]:
    identified = found.identified
    scores = f"strong {number(identified.strong_mcc)}, weak {number(identified.weak_mcc)}"
    remarks = [f"Over all latents and {count_of(identified.fits, 'fit')}: {scores}."]
    if identified.fitted_rows_too:
        remarks.append(
            f"Compared on all {identified.compared_rows:,} rows, those that were fitted included, because too few "
            "were held out: the agreement may look a little better than it is."
        )
    together = [block for block in identified.blocks if len(block) > 1]
    if together:
        groups = "; ".join(latents(sorted(block)) for block in together)
        remarks.append(f"Found only together, as a block: {groups}.")
    return tuple(remarks)


def _alternative(found: Diagnostics) -> str:
    scored = [entry for entry in found.identified.latents if entry.strong is not None]
    start = f"Dot plot with a row for each of {count_of(found.n_latents, 'latent')} on a scale from 0 to 1."
    if not scored:
        return f"{start} There are no dots: the agreement could not be measured."
    low, high = (pick(scored, key=lambda entry: entry.strong) for pick in (min, max))
    text = (
        f"{start} Strong agreement goes from {number(low.strong)} (latent {low.latent}) "
        f"to {number(high.strong)} (latent {high.latent})."
    )
    doubted = [entry.latent for entry in found.identified.latents if not entry.trusted]
    return f"{text} " + (
        f"Grey and hollow, because not trusted: {latents(doubted)}."
        if doubted
        else "All are filled: trusted."
    )


def _latents_table(found: Diagnostics) -> Table:
    block_of = {
        latent: place for place, block in enumerate(found.identified.blocks, start=1) for latent in block
    }
    rows = tuple(
        Row(
            (
                latent_heading(entry.latent, found.trusted),
                number(entry.strong, 3),
                number(entry.weak, 3),
                str(block_of[entry.latent]),
                "yes" if entry.trusted else "no",
                entry.reason,
            ),
            entry.trusted,
        )
        for entry in found.identified.latents
    )
    return Table(
        "Agreement of the fits on each latent", ("Latent", "Strong", "Weak", "Block", "Trusted", "Why"), rows
    )
