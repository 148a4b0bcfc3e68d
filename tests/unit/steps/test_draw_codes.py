import numpy as np

from pdgmm.steps.draw_codes import draw_codes, draw_fits, plane
from pdgmm.store import hdf5

RNG = np.random.default_rng(0)


def test_every_method_has_a_row_and_every_fit_a_panel(tmp_path):
    with hdf5.create(tmp_path / "data.h5", "dataset", {}) as file:
        hdf5.put(file, "test/component", RNG.integers(3, size=50), hdf5.TRUTH)
    paths = []
    for chain in ("vade", "pca"):
        for seed in (0, 1):
            paths.append(tmp_path / f"seed-{seed}" / chain / "latents.h5")
            with hdf5.create(paths[-1], "latents", {}) as file:
                if (chain, seed) != ("vade", 1):
                    hdf5.put(file, "test/z_hat", RNG.normal(size=(50, 3)))
    draw_codes(tmp_path / "data.h5", paths, tmp_path / "codes")
    assert (tmp_path / "codes.svg").exists()
    assert (tmp_path / "codes.png").exists()


def test_points_have_the_colours_of_their_groups_and_a_failed_fit_is_empty():
    code, groups = RNG.normal(size=(30, 2)), np.arange(30) % 3
    figure = draw_fits({"vade": [code, None], "pca": [code, code]}, groups, ["seed 3", "seed 4"])
    axes = [axis for axis in figure.axes if axis.get_visible()]
    assert [len(axis.collections) for axis in axes] == [1, 0, 1, 1]
    assert len({tuple(colour) for colour in axes[0].collections[0].get_facecolors()}) == 3
    assert [axis.get_ylabel() for axis in axes[::2]] == ["vade", "pca"]
    assert [axis.get_title() for axis in axes] == ["seed 3", "seed 4", "", ""]


def test_wide_codes_are_shown_in_their_directions_of_largest_variance():
    code = RNG.normal(size=(500, 4)) * [0.1, 5, 0.1, 2]
    shown = plane(code)
    assert abs(np.corrcoef(shown[:, 0], code[:, 1])[0, 1]) > 0.99
    assert abs(np.corrcoef(shown[:, 1], code[:, 3])[0, 1]) > 0.99
    assert plane(code[:, :1]).shape == (500, 2)
    assert plane(code[:, :2]) is not None
