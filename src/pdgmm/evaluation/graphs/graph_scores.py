"""How far a found graph is from the true CPDAG; graphs are matrices as in :mod:`pdgmm.evaluation.graphs.cpdag`."""

import numpy as np

from pdgmm.evaluation.base import Column, Metric, ScoredSplit
from pdgmm.evaluation.graphs.cpdag import directed, repaired_cpdag, skeleton, undirected


class GraphScores(Metric):
    """How far the graph among the learned latents is from the true one; computed for every graph method."""

    truth = frozenset({"cpdag"})
    claims = frozenset({"graph"})
    section = "graph_*"
    section_title = "causal graph found by *"
    columns = (
        Column("shd", "SHD to the true CPDAG", "lower", digits=1),
        Column("skeleton_f1", "F1 of the edges without their directions"),
        Column("aid", "Ancestor adjustment identification distance", "lower"),
    )

    def scores(self, split: ScoredSplit) -> dict[str, float]:
        """See :func:`graph_scores`."""
        return graph_scores(split.truth["cpdag"], split.claims["graph"])


def graph_scores(true: np.ndarray, found: np.ndarray) -> dict[str, float]:
    """All scores of a found graph (n, n) against the true CPDAG (n, n), ready for JSON."""
    return {
        "shd": shd(true, found),
        **skeleton_scores(true, found),
        "aid": ancestor_aid(true, found),
        "is_cpdag": bool((repaired_cpdag(found) == found).all()),
    }


def shd(true: np.ndarray, found: np.ndarray) -> int:
    """Structural Hamming distance: the pairs of variables whose edges differ.

    A missing edge, a surplus edge, a reversed edge, and an edge that is directed in one graph only count 1 each.
    """
    differs = (true != found) | (true.T != found.T)
    return int(np.triu(differs, k=1).sum())


def skeleton_scores(true: np.ndarray, found: np.ndarray) -> dict[str, float]:
    """Precision, recall and F1 of the found edges, without their directions.

    If nothing was found, or there is nothing to find, a share is 1 if that is right and 0 if it is wrong.
    """
    real, claimed = np.triu(skeleton(true), k=1), np.triu(skeleton(found), k=1)
    right, wrong, missed = (int(m.sum()) for m in (real & claimed, claimed & ~real, real & ~claimed))

    def share(part: int, whole: int) -> float:
        return part / whole if whole else float(wrong + missed == 0)

    return {
        "skeleton_precision": share(right, right + wrong),
        "skeleton_recall": share(right, right + missed),
        "skeleton_f1": share(2 * right, 2 * right + wrong + missed),
    }


def ancestor_aid(true: np.ndarray, found: np.ndarray) -> float:
    """Ancestor adjustment identification distance (Henckel, Würtzen and Weichwald, 2024), computed by gadjid.

    The share, in [0, 1], of the n(n-1) causal effects of one variable on another that are wrong when they are read
    from the found graph: it says "no effect" or "not identified" and that is wrong, or adjusting for the ancestors
    it names does not give the effect in the true graph. The distance is defined for CPDAGs; a found graph that is
    not one is replaced by :func:`pdgmm.evaluation.graphs.cpdag.repaired_cpdag` (``is_cpdag`` in the scores says
    so).
    """
    import gadjid

    share, _ = gadjid.ancestor_aid(
        _encoded(true), _encoded(repaired_cpdag(found)), edge_direction="from row to column"
    )
    return float(share)


def _encoded(graph: np.ndarray) -> np.ndarray:
    """The graph as gadjid reads it: 1 at (i, j) is ``i -> j``, 2 is ``i - j``."""
    return (directed(graph) + 2 * undirected(graph)).astype(np.int8)
