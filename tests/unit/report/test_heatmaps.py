from xml.etree import ElementTree

import numpy as np
import pytest

from pdgmm.errors import UserError
from pdgmm.evaluation.mcc import mcc
from pdgmm.evaluation.r2 import match_blocks
from pdgmm.report.figure_files import figure_bytes, save_figure
from pdgmm.report.heatmaps import Panel, assigned_order, draw_heatmaps


def panel(n: int, d: int) -> Panel:
    rng = np.random.default_rng(0)
    z = rng.normal(size=(200, n))
    code = np.column_stack([z + 0.3 * rng.normal(size=z.shape), rng.normal(size=(200, max(d - n, 0)))])
    match = mcc(z, code[:, rng.permutation(code.shape[1])[:d]])
    return Panel("flow+spike_slab", match.correlation, match.assignment, match.mcc, "600 steps")


PANELS = [panel(3, 3), Panel("fastica", reason="the unmixing matrix holds NaN")]


def texts(figure) -> str:
    return "\n".join(
        [text.get_text() for axis in figure.axes for text in [axis.title, *axis.texts]]
        + [figure.get_suptitle()]
    )


def test_learned_latents_stand_in_the_order_of_the_true_ones():
    assert assigned_order(np.array([3, 0, 2]), 5).tolist() == [3, 0, 2, 1, 4]
    assert assigned_order(np.array([-1, 1, 0]), 2).tolist() == [1, 0]


def test_blocks_are_rows_as_high_as_they_have_latents():
    rng = np.random.default_rng(0)
    z, blocks = rng.normal(size=(200, 5)), np.array([0, 1, 1, 1, 2])
    match = match_blocks(z, z[:, [4, 3, 1, 0, 2]] + 0.1 * rng.normal(size=z.shape), blocks)
    panel = Panel("oracle", match.r2, match.assignment, match.assigned.min(), block_sizes=match.sizes)
    figure = draw_heatmaps("blocks", [panel])
    axis = figure.axes[0]
    assert [label.get_text() for label in axis.get_yticklabels()] == ["1 (1)", "2 (3)", "3 (1)"]
    assert axis.get_yticks().tolist() == [0.5, 2.5, 4.5]
    assert f"smallest R² within a block {match.assigned.min():.3f}" in texts(figure)
    assert figure.axes[1].get_ylabel() == "R²"
    assert not any(text.get_text().startswith("-") for text in axis.texts)


@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_files_are_whole_and_the_same_every_time(tmp_path, suffix):
    paths = [tmp_path / f"{name}.{suffix}" for name in ("first", "second")]
    for path in paths:
        save_figure(draw_heatmaps("n = 3, seed 0", PANELS), path)
    first, second = (path.read_bytes() for path in paths)
    assert first == second
    assert len(first) > 1000
    if suffix == "svg":
        ElementTree.fromstring(first)
    else:
        assert first.startswith(b"\x89PNG")


@pytest.mark.parametrize(("n", "d"), [(2, 5), (3, 2), (40, 40)])
def test_any_shape_can_be_drawn(n, d):
    assert figure_bytes(draw_heatmaps("", [panel(n, d)] * 2), "svg")


def test_what_cannot_be_drawn_is_named(tmp_path):
    with pytest.raises(UserError, match="no method"):
        draw_heatmaps("n = 3", [])
    with pytest.raises(UserError, match="gif"):
        save_figure(draw_heatmaps("", PANELS), tmp_path / "figure.gif")
