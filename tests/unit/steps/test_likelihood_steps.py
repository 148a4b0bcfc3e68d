import json

import numpy as np
import pandas as pd
import pytest

from pdgmm.steps.draw_likelihood import Curve, draw_likelihood, with_several_minima
from pdgmm.steps.search_likelihood import search_likelihood
from pdgmm.theory.likelihood_toy import LikelihoodToy, Search

TOY = {"components": 2, "means": [-2.0, 0.0, 1.0], "weight_parts": 2, "truths": 30, "seed": 100}


def test_the_table_counts_truths_by_kind(tmp_path):
    search_likelihood(json.dumps([TOY, TOY | {"components": 1}]), tmp_path / "toy")
    table = pd.read_csv(tmp_path / "toy.csv")
    assert list(table.groupby("components")["truths"].sum()) == [30, 30]
    assert (table["at_minimum"] == table["truths"]).all()
    promised = table[table["kind"] == "weakly injective"]
    assert (promised["only_equivalent"] == promised["truths"]).all()
    assert (promised["truths"] > 0).all()
    text = (tmp_path / "toy.md").read_text()
    assert "19,683 settings of the parameters" in text
    assert text.count("\n| 2 |") == 3


def test_the_figure_shows_curves_with_several_minima(tmp_path):
    search = Search(LikelihoodToy(**TOY))
    truths = [one for one in search.draw() if one.model.kind == "weakly injective" and all(one.weights)]
    curves = with_several_minima(search, truths[:4])
    assert all(len(curve.minima) > 1 for curve in curves)
    draw_likelihood(json.dumps([TOY | {"truths": 8}]), tmp_path / "toy")
    assert (tmp_path / "toy.svg").stat().st_size > 1000
    assert (tmp_path / "toy.png").exists()


@pytest.mark.parametrize(("height", "count"), [(0.0, 1), (1.0, 2), (1e-6, 0)])
def test_only_minima_of_some_depth_count(height, count):
    values = np.linspace(-3, 3, 301)
    curve = Curve("mu_1", values, (np.abs(values) - 1) ** 2 * height if height else values**2, 0.0)
    assert len(curve.minima) == count
