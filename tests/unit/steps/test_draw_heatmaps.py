from xml.etree import ElementTree

import numpy as np
import pytest

from pdgmm.evaluation.mcc import mcc
from pdgmm.evaluation.r2 import match_blocks
from pdgmm.report.figure_files import figure_bytes, save_figures
from pdgmm.steps.draw_heatmaps import assigned_order, draw_heatmaps


def run(**scores):
    known = {"dataset": "a", "seed": 0, "method": "flow+spike_slab", "size": "600 steps", "status": "ok"}
    return {**known, "places": ["test"], "scores": {"test": scores}}


def matched(n: int, d: int):
    rng = np.random.default_rng(0)
    z = rng.normal(size=(200, n))
    code = np.column_stack([z + 0.3 * rng.normal(size=z.shape), rng.normal(size=(200, max(d - n, 0)))])
    match = mcc(z, code[:, rng.permutation(code.shape[1])[:d]])
    return run(correlation=match.correlation.tolist(), assignment=match.assignment.tolist(), mcc=match.mcc)


FAILED = {**run(), "method": "fastica", "status": "failed", "reason": "the unmixing matrix holds NaN"}


def texts(figure) -> str:
    return "\n".join(
        [text.get_text() for axis in figure.axes for text in [axis.title, *axis.texts]]
        + [figure.get_suptitle()]
    )


def test_learned_latents_stand_in_the_order_of_the_true_ones():
    assert assigned_order([3, 0, 2], 5) == [3, 0, 2, 1, 4]
    assert assigned_order([-1, 1, 0], 2) == [1, 0]


def test_blocks_are_rows_as_high_as_they_have_latents():
    rng = np.random.default_rng(0)
    z, blocks = rng.normal(size=(200, 5)), np.array([0, 1, 1, 1, 2])
    match = match_blocks(z, z[:, [4, 3, 1, 0, 2]] + 0.1 * rng.normal(size=z.shape), blocks)
    scored = {"block_r2": match.r2, "block_assignment": match.assignment, "block_sizes": match.sizes}
    arrays = {name: array.tolist() for name, array in scored.items()}
    figure = draw_heatmaps([run(**arrays, block_r2_diagonal_min=match.assigned.min())])
    axis = figure.axes[0]
    assert [label.get_text() for label in axis.get_yticklabels()] == ["1 (1)", "2 (3)", "3 (1)"]
    assert axis.get_yticks().tolist() == [0.5, 2.5, 4.5]
    assert f"smallest R² within a block {match.assigned.min():.3f}" in texts(figure)
    assert figure.axes[1].get_ylabel() == "R²"
    assert not any(text.get_text().startswith("-") for text in axis.texts)


def test_files_are_whole_and_the_same_every_time(tmp_path):
    for name in ("first", "second"):
        save_figures(draw_heatmaps([matched(3, 3), FAILED]), tmp_path / name)
    for ending in ("svg", "png"):
        first, second = ((tmp_path / f"{name}.{ending}").read_bytes() for name in ("first", "second"))
        assert first == second
        assert len(first) > 1000
    ElementTree.fromstring((tmp_path / "first.svg").read_bytes())
    assert first.startswith(b"\x89PNG")


@pytest.mark.parametrize(("n", "d"), [(2, 5), (3, 2), (40, 40)])
def test_any_shape_can_be_drawn(n, d):
    assert figure_bytes(draw_heatmaps([matched(n, d)] * 2), "svg")
