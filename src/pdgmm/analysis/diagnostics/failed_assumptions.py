"""Which checks of an assumption speak against a latent, though every fit finds it again?

What is identified is so under the assumptions. A fit to data that break them can be stable and wrong: a flow bends
exponential latents until they look Gaussian, and in a mixture without rest it presses a group of rows together until
it looks like rest. Such failures rarely concern one latent alone, so a check that fails for many of them counts
against all.
"""

from collections.abc import Sequence

import numpy as np

from pdgmm.analysis.answers import LatentAssumptions

MOST_BENT, MOST_BENT_TOGETHER = 0.04, 0.025
"""Largest bend (:mod:`pdgmm.analysis.diagnostics.bending`) of a latent, and in the mean over all latents.
`make trust` counts what they let through and what they stop."""

MOST_WITHOUT_REST, FEWEST_WITHOUT_REST = 0.25, 2
"""If more than this share of the latents, and at least this number, have no rest value, none is trusted."""

NOT_GAUSSIAN, BENT, OTHERS_WITHOUT_REST = (
    "not Gaussian while it is active",
    "bent on its own by the flow",
    "too many other latents do not rest",
)
"""Doubts in a few words."""

Doubt = tuple[str, str]
"""In a few words, and in more."""


def failed_assumptions(
    latents: Sequence[LatentAssumptions], bends: np.ndarray | None = None
) -> list[list[Doubt]]:
    """The doubts on each of ``latents``; ``bends`` (n,) are given where a flow was fitted."""
    resting = [latent for latent in latents if latent.rests]
    without = len(latents) - len(resting)
    scattered = without >= FEWEST_WITHOUT_REST and without > MOST_WITHOUT_REST * len(latents)
    together = bends is not None and bends.mean() > MOST_BENT_TOGETHER
    found: list[list[Doubt]] = []
    for place, latent in enumerate(latents):
        doubts: list[Doubt] = []
        if latent.rests and latent.verdict == "violated":
            doubts.append((NOT_GAUSSIAN, "it is far from Gaussian while it is active"))
        if bends is not None and bends[place] > MOST_BENT:
            words = "the flow bends it on its own, which makes a latent Gaussian that is not, so its scale is unsure"
            doubts.append((BENT, words))
        elif together:
            words = "the flow bends the latents one by one, which makes latents Gaussian that are not"
            doubts.append((BENT, words))
        if latent.rests and scattered:
            words = f"{without} of {len(latents)} latents do not rest, against the theory's assumptions"
            doubts.append((OTHERS_WITHOUT_REST, words))
        found.append(doubts)
    return found
