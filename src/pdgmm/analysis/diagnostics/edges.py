"""Which latents cause which? The CPDAG among them, and how often refits find its edges again."""

from collections.abc import Sequence

import numpy as np

from pdgmm.analysis.answers import STABLE_EDGE, Edge, Graph
from pdgmm.analysis.wording import counted, percent
from pdgmm.evaluation.graphs.cpdag import directed, skeleton, undirected
from pdgmm.evaluation.graphs.discovery import discover, matched
from pdgmm.evaluation.graphs.pc import Pc

ENOUGH_ACTIVE_SAMPLES = 200

MOST_TESTS = 200_000
"""Some seconds of tests in each fit; a dense graph of many latents is searched with fewer conditions then."""


def latent_graph(
    reference: np.ndarray, refits: Sequence[np.ndarray], active: np.ndarray | None, alpha: float, seed: int
) -> Graph:
    """PC with partial correlations on ``reference`` (samples, n), and on each of ``refits`` (samples, n).

    All are latents of the same samples; those of a refit are matched to the reference's. Latents that rest hide what
    they depend on, so samples with every latent active are taken where ``active`` (samples, n) has at least 200 of
    them, and else all; None says that none is known to rest. The latents have no order, so colliders that contradict
    each other leave an edge undirected. The stability of a directed edge is the share of the refits with the same
    arrow, that of an undirected one the share in which the two are joined at all.
    """
    rows = np.ones(len(reference), dtype=bool)
    if active is not None:
        rows = np.asarray(active, dtype=bool).all(axis=1)
    all_active = int(rows.sum()) >= max(ENOUGH_ACTIVE_SAMPLES, reference.shape[1] + 4)
    if not all_active:
        rows = np.ones(len(reference), dtype=bool)
    method = Pc(alpha=alpha, conflicts="open", most_tests=MOST_TESTS)
    graph = discover(method, reference[rows], seed).graph
    again = [discover(method, matched(reference, refit)[rows], seed).graph for refit in refits]
    edges = []
    for arrow, found, places in (
        (True, directed, np.argwhere(directed(graph))),
        (False, skeleton, np.argwhere(np.triu(undirected(graph)))),
    ):
        for i, j in places:
            share = float(np.mean([found(other)[i, j] for other in again]))
            edges.append(Edge(begin=int(i) + 1, end=int(j) + 1, directed=arrow, stability=share))
    edges.sort(key=lambda edge: (edge.begin, edge.end))
    samples = int(rows.sum())
    sentence = f"Found on {samples} samples with every latent active."
    if active is None:
        sentence = f"Found on {samples} samples."
    elif not all_active:
        sentence = (
            f"Fewer than {ENOUGH_ACTIVE_SAMPLES} samples have every latent active, so all {samples} were used: "
            "resting latents hide causes and add dependences of their own, so take edges as dependences."
        )
    if edges:
        stable = f"{sum(edge.stability >= STABLE_EDGE for edge in edges)} of {counted(len(edges), 'edge')}"
        sentence += f" {stable} found again in at least {percent(STABLE_EDGE)} of the refits."
    else:
        sentence += " No latents depend on each other directly."
    return Graph(alpha=alpha, edges=edges, samples=samples, sentence=sentence)
