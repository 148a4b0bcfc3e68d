"""Fits with different seeds compared with each other on a user's own file."""

import numpy as np
import pandas as pd
import pytest

pytestmark = pytest.mark.slow


def test_fits_to_an_own_file_are_compared(fresh):
    rng = np.random.default_rng(0)
    group = rng.integers(2, size=500)
    z = rng.laplace(size=(500, 2)) + 4 * group[:, None]
    table = pd.DataFrame(z @ rng.normal(size=(2, 3)) + 0.1 * rng.normal(size=(500, 3)), columns=list("abc"))
    table.to_csv(fresh.folder / "measurements.csv", index=False)
    small = {"pretraining_steps": 20, "steps": 30, "hidden_units": [8], "components": 2, "batch_size": 64}
    fresh.config = {
        "methods": {"vade": small},
        "experiments": {
            "mine": {
                "dataset": {"file": "measurements.csv", "n_latents": 2},
                "methods": ["pca", "fastica", "vade"],
                "seeds": [0, 1, 2],
                "between_fits": True,
            }
        },
    }
    fresh.run()
    found = pd.read_csv(fresh.folder / "results/tables/mine.csv")
    assert set(found["split"]) == {"between_fits"}
    score = found.set_index(["metric", "method"])["mean"]
    assert score["weak_mcc", "pca"] > 0.999
    assert score["strong_mcc", "fastica"] > 0.9
    with_mixture = found.loc[(found.metric == "dist_aff") & found["mean"].notna(), "method"]
    assert set(with_mixture) == {"vade"}
    page = (fresh.folder / "results/tables/mine.md").read_text()
    assert "95 % interval of the mean, by the jackknife over fits" in page
    (drawn,) = fresh.folder.glob("results/figures/mine/*-codes.png")
    assert drawn.stat().st_size > 5000
