"""Which latents cause which? The CPDAG among them, and how often refits find its edges again."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pdgmm.analysis.diagnostics.diagnostics_wording import number_or_null, percent
from pdgmm.graphs.cpdag import directed, skeleton, undirected
from pdgmm.graphs.discovery import discover
from pdgmm.graphs.matching import matched
from pdgmm.graphs.pc import Pc

ENOUGH_ACTIVE_SAMPLES = 200

MOST_TESTS = 200_000
"""Some seconds of tests in each fit; a dense graph of many latents is searched with fewer conditions then."""

STABLE = 0.8
"""Edges that this share of the refits find again are called stable."""


@dataclass(frozen=True)
class Edge:
    """``start -> end``, or ``start - end`` where undirected. ``stability`` is NaN without refits."""

    start: int
    end: int
    directed: bool
    stability: float


@dataclass(frozen=True)
class LatentGraph:
    """The graph among the latents."""

    alpha: float
    edges: tuple[Edge, ...]
    samples: int
    all_active: bool
    """Whether it was found on samples with every latent active."""

    refits: int

    @property
    def sentence(self) -> str:
        """How much it is worth."""
        if self.all_active:
            base = f"Found on {self.samples} samples with every latent active."
        else:
            base = (
                f"Fewer than {ENOUGH_ACTIVE_SAMPLES} samples have every latent active, so all {self.samples} were "
                "used: resting latents hide causes and add dependences of their own, so take edges as dependences."
            )
        if not self.edges:
            return f"{base} No latents depend on each other directly."
        count = f"{len(self.edges)} edge{'s' if len(self.edges) > 1 else ''}"
        if not self.refits:
            return f"{base} {count} found; nothing was refitted, so their stability is not known."
        stable = sum(edge.stability >= STABLE for edge in self.edges)
        return f"{base} {stable} of {count} found again in at least {percent(STABLE)} of the refits."

    def as_json(self) -> dict[str, Any]:
        """The part ``graph``."""
        return {
            "method": "pc",
            "alpha": self.alpha,
            "edges": [
                {
                    "from": edge.start + 1,
                    "to": edge.end + 1,
                    "directed": edge.directed,
                    "stability": number_or_null(edge.stability),
                }
                for edge in self.edges
            ],
            "samples": self.samples,
            "sentence": self.sentence,
        }


def latent_graph(
    reference: np.ndarray,
    refits: Sequence[np.ndarray],
    active: np.ndarray,
    *,
    alpha: float = 0.01,
    seed: int = 0,
) -> LatentGraph:
    """PC with partial correlations on ``reference`` (samples, n), and on each of ``refits`` (samples, d).

    All are latents of the same samples; those of a refit take the places of the reference's latents that they are
    assigned to. Latents that rest hide what they depend on, so samples with every latent active are taken, where
    ``active`` (samples, n) has at least 200 of them, and else all samples. The latents have no order, so colliders
    that contradict each other leave an edge undirected. The stability of a directed edge is the share of the refits
    with the same arrow, that of an undirected one the share in which the two are joined at all.
    """
    rows = np.asarray(active, dtype=bool).all(axis=1)
    all_active = int(rows.sum()) >= max(ENOUGH_ACTIVE_SAMPLES, reference.shape[1] + 4)
    if not all_active:
        rows = np.ones(len(reference), dtype=bool)
    method = Pc(alpha=alpha, conflicts="open", most_tests=MOST_TESTS)
    graph = discover(method, reference[rows], seed).graph
    again = [discover(method, matched(reference, refit)[rows], seed).graph for refit in refits]
    arrow_share, joined_share = _share(again, directed), _share(again, skeleton)
    edges = [Edge(int(i), int(j), True, _at(arrow_share, i, j)) for i, j in np.argwhere(directed(graph))]
    edges += [
        Edge(int(i), int(j), False, _at(joined_share, i, j))
        for i, j in np.argwhere(np.triu(undirected(graph)))
    ]
    edges.sort(key=lambda edge: (edge.start, edge.end))
    return LatentGraph(alpha, tuple(edges), int(rows.sum()), all_active, len(refits))


def _share(graphs: Sequence[np.ndarray], kind: Any) -> np.ndarray | None:
    """(n, n) share of the graphs with an edge of that kind."""
    return np.mean([kind(graph) for graph in graphs], axis=0) if graphs else None


def _at(shares: np.ndarray | None, i: int, j: int) -> float:
    return float("nan") if shares is None else float(shares[i, j])
