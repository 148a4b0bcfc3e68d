"""The section of the benchmark that compares the affine fit with scikit-learn's FastICA."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import python_fits
from measuring import dataset
from speed_cases import Case


@pytest.mark.parametrize("name", [python_fits.FASTICA, python_fits.OURS])
def test_a_fit_is_timed_in_its_own_process(name: str, tmp_path: Path) -> None:
    path = dataset(Case("python", "fastica", n=5, samples=3_000), tmp_path)

    printed = subprocess.run(
        [sys.executable, python_fits.__file__, str(path), name], check=True, capture_output=True, text=True
    ).stdout

    cost = json.loads(printed)
    assert 0 < cost["seconds"] < 60
    assert cost["mcc"] > 0.8


def test_the_page_says_how_many_times_as_long_ours_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    costs = {python_fits.FASTICA: 0.5, python_fits.OURS: 1.5}
    monkeypatch.setattr(
        python_fits,
        "measured",
        lambda path, name: {"seconds": costs[name], "mcc": 0.9, "memory_mb": 10.0},
    )

    page, table = python_fits.measure_python_fits((5,), 100)

    assert "| 5 | 0.5 s | 0.900 | 10 MB | 1.5 s | 0.900 | 10 MB | 3.0 |" in page
    assert table.splitlines()[1:] == [
        "5,FastICA,0.5,0.9,10.0",
        "5,PDGMM(nonlinear=False),1.5,0.9,10.0",
    ]
