"""A user's own file through the whole comparison."""

import numpy as np
import pandas as pd
import pytest

pytestmark = pytest.mark.slow


def test_a_file_is_compared_and_a_changed_one_again(fresh):
    rng = np.random.default_rng(0)
    z = rng.normal(size=(800, 3)) * (rng.random((800, 3)) < 0.6)
    pd.DataFrame(z @ rng.normal(size=(3, 3)), columns=list("abc")).to_csv(
        fresh.folder / "my.csv", index=False
    )
    fresh.config = {
        "experiments": {
            "mine": {
                "dataset": {"file": "my.csv"},
                "methods": ["spike_slab"],
                "seeds": [0, 1],
            }
        }
    }
    fresh.run()
    table = pd.read_csv(fresh.folder / "results/tables/mine.csv").set_index("metric")
    assert table.loc["agreement", "mean"] > 0.99
    assert "mcc" not in table.index
    assert not fresh.planned()
    with (fresh.folder / "my.csv").open("a") as file:
        file.write("1,2,3\n")
    assert fresh.planned()["generate_dataset"] == 2
