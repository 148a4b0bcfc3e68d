from xml.etree import ElementTree

import numpy as np
from click.testing import CliRunner

from pdgmm.cli.main import cli
from pdgmm.steps.draw_supports import draw_supports


def test_both_spaces_show_every_sample_of_both_components():
    rng = np.random.default_rng(0)
    z, x = rng.normal(size=(2, 30, 3))
    component = np.repeat([0, 1], [10, 20])
    figure = draw_supports(z, x, component)
    drawn = [[len(points.get_offsets()) for points in axis.collections] for axis in figure.axes]
    assert drawn == [[10, 20], [10, 20]]
    assert [text.get_text()[:11] for text in figure.legends[0].get_texts()] == ["component 1", "component 2"]
    for axis in figure.axes:
        one, other = axis.collections
        assert not np.array_equal(one.get_facecolor()[0], other.get_facecolor()[0])
        assert len(one.get_paths()[0].vertices) != len(other.get_paths()[0].vertices), "markers differ"


def test_the_command_writes_the_same_bytes_every_time(tmp_path):
    for name in ("first", "second"):
        done = CliRunner().invoke(cli, ["step", "draw-supports", "--out", str(tmp_path / name)])
        assert done.exit_code == 0, done.output
    ElementTree.fromstring((tmp_path / "first.svg").read_bytes())
    for ending in ("svg", "png"):
        assert (tmp_path / f"first.{ending}").read_bytes() == (tmp_path / f"second.{ending}").read_bytes()
