"""Which latents of a named method come out again when other rows of the data are taken? None is trusted for it."""

from collections.abc import Sequence

import numpy as np

from pdgmm.analysis.answers import Identified, IdentifiedLatent, Verdict
from pdgmm.analysis.diagnostics.stability import NOT_FOUND, compare, in_words, is_stable
from pdgmm.analysis.wording import latents as named


def found_again(
    reference: np.ndarray, refits: Sequence[np.ndarray], method: str, fitted_rows_too: bool = False
) -> Identified:
    """Judge every latent by refits on resampled data, for any method.

    ``reference`` and each of ``refits`` (samples, n) are latents of the same samples. No latent is trusted: what the
    method assumes was not checked, and a fit to data that break it can be stable and wrong.
    """
    n = reference.shape[1]
    comparisons = [compare(reference, refit, [[latent] for latent in range(n)]) for refit in refits]
    strong, weak, aligned, _ = map(np.array, zip(*comparisons, strict=True))
    stable = [bool(is_stable(scores)) for scores in strong.T]
    return Identified(
        fits=len(refits),
        strong_mcc=float(strong.mean()),
        weak_mcc=float(aligned.mean()),
        latents=[
            IdentifiedLatent(
                latent=latent + 1,
                strong=float(strong[:, latent].mean()),
                weak=float(weak[:, latent].mean()),
                block=latent + 1,
                trusted=False,
                found_again=stable[latent],
                reason=(
                    f"{'found again in every refit' if stable[latent] else NOT_FOUND} "
                    f"(correlation {in_words(strong[:, latent])}); what {method} assumes was not checked"
                ),
                doubts=[] if stable[latent] else [NOT_FOUND],
            )
            for latent in range(n)
        ],
        blocks=[[latent + 1] for latent in range(n)],
        compared_rows=len(reference),
        fitted_rows_too=fitted_rows_too,
        **dict(zip(("verdict", "sentence"), _summary(stable), strict=True)),
    )


def _summary(stable: Sequence[bool]) -> tuple[Verdict, str]:
    again = [place + 1 for place, found in enumerate(stable) if found]
    if len(again) == len(stable):
        who = "The latent is" if len(stable) == 1 else f"All {len(stable)} latents are"
        return "holds", f"{who} found again in every refit."
    if not again:
        return "violated", "No latent is found again in every refit: do not interpret any of them."
    verb = "is" if len(again) == 1 else "are"
    return "doubtful", f"Only {named(again)} {verb} found again in every refit, of {len(stable)}."
