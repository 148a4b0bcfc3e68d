from xml.etree import ElementTree

import numpy as np
import pytest

from pdgmm.data.scm import erdos_renyi_dag
from pdgmm.evaluation.graphs.cpdag import cpdag_of_dag
from pdgmm.evaluation.graphs.graph_scores import shd
from pdgmm.report.figure_files import figure_bytes
from pdgmm.steps.draw_graphs import EXTRA, KINDS, MISSING, RIGHT, TURNED, compared_edges, draw_graphs


def random_cpdag(n, k, seed):
    return cpdag_of_dag(erdos_renyi_dag(n, k, np.random.default_rng(seed)))


def run(true, found):
    graphs = {"true": true.tolist(), "true_latents": true.tolist(), "learned": found.tolist()}
    known = {"dataset": "a", "seed": 0, "method": "flow", "size": "", "status": "ok"}
    return {**known, "graphs": graphs}


def texts(figure):
    titles = [axis.get_title() for axis in figure.axes]
    inside = [text.get_text() for axis in figure.axes for text in axis.texts]
    legend = [text.get_text() for text in figure.legends[0].get_texts()]
    return "\n".join([figure.get_suptitle(), *titles, *inside, *legend])


def test_every_kind_of_mistake_is_told_apart():
    true, found = np.zeros((2, 5, 5), dtype=np.uint8)
    true[0, 1] = found[0, 1] = 1
    true[2, 1], found[1, 2] = 1, 1
    true[[2, 3], [3, 2]] = 1
    found[4, 3] = 1
    assert list(compared_edges(true, found)) == [
        (0, 1, True, RIGHT),
        (1, 2, True, TURNED),
        (2, 3, False, MISSING),
        (4, 3, True, EXTRA),
    ]
    assert len({kind.colour for kind in KINDS}) == len({str(kind.pattern) for kind in KINDS}) == 4


def test_the_mistakes_of_a_panel_are_its_distance():
    for seed in range(5):
        true, found = random_cpdag(8, 1, seed), random_cpdag(8, 2, seed + 10)
        wrong = [kind for *_, kind in compared_edges(true, found) if kind is not RIGHT]
        assert len(wrong) == shd(true, found)
        assert f"SHD {shd(true, found)}: " in texts(draw_graphs([run(true, found)], "pc"))


@pytest.mark.parametrize(("n", "panels"), [(2, 1), (40, 1)])
def test_any_size_can_be_drawn_and_gives_the_same_bytes(n, panels):
    true, found = random_cpdag(n, 1, 0), random_cpdag(n, 1, 1)
    first, second = (figure_bytes(draw_graphs([run(true, found)] * panels, "pc"), "svg") for _ in range(2))
    assert first == second
    ElementTree.fromstring(first)
