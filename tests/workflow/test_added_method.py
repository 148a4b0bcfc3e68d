"""The method that docs/add-a-method.md shows, added to a copy of the project and run exactly as the page says.

It runs on a user's own file, which is compared between methods and seeds.
"""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

pytestmark = pytest.mark.slow

PAGE = (Path(__file__).parents[2] / "docs/add-a-method.md").read_text()


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_the_method_of_the_page_runs_through_the_workflow(fresh):
    files = [text for text in blocks("python") if text.startswith("# src/")]
    assert len(files) == 2, "settings and network"
    for text in files:
        (fresh.folder / text.splitlines()[0].removeprefix("# ")).write_text(text)
    (line,) = (text.removeprefix("+") for text in blocks("diff"))
    catalogue = fresh.folder / "src/pdgmm/methods/__init__.py"
    catalogue.write_text(catalogue.read_text().replace('    "fastica":', f'{line}    "fastica":', 1))
    (config,) = map(yaml.safe_load, blocks("yaml"))

    rng = np.random.default_rng(0)
    site = rng.integers(3, size=600)
    z = rng.normal(size=(600, 2)) + 3 * np.eye(3)[site][:, :2]
    table = pd.DataFrame(z @ rng.normal(size=(2, 4)), columns=list("abcd")).assign(site=site + 7)
    table.to_csv(fresh.folder / "measurements.csv", index=False)
    fresh.config = config
    fresh.run()
    found = pd.read_csv(fresh.folder / "results/tables/segments.csv")
    assert set(found["method"]) == set(config["experiments"]["segments"]["methods"])
    agreement = found[found.metric == "agreement"].set_index("method")["mean"]
    assert agreement["fastica"] > 0.99
    assert "mcc" not in set(found.metric), "there is no truth to compare with"
    for path in fresh.folder.glob("results/*/seed-*/*/scores.json"):
        assert json.loads(path.read_text())["status"] == "ok", path
    assert not fresh.planned()
    with (fresh.folder / "measurements.csv").open("a") as file:
        file.write("1,2,3,4,7\n")
    assert fresh.planned()["generate_dataset"] == 2

    config["experiments"]["segments"]["dataset"].pop("u")
    fresh.config = config
    code, output = fresh.run("-n", check=False)
    assert code != 0
    assert all(word in output for word in ("segment_autoencoder", "'u'", "segments")), output
