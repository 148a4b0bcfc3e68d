"""The folder of an analysis: damaged files are named with what mends them, and finished fits are kept."""

import json
import re
import shutil
import subprocess

import numpy as np
import pytest

from pdgmm.analysis.fitting.analysis_folder import AnalysisFolder
from pdgmm.analysis.fitting.encoding import encode_file
from pdgmm.analysis.fitting.run_analysis import run_analysis
from pdgmm.analysis.options import AnalysisOptions, ReadOptions
from pdgmm.errors import UserError
from pdgmm.store.checked_json import CHECKSUM, write_checked_json

QUICK = AnalysisOptions(quick=True, n_latents=3)


def fit(folder, reading=None, options=QUICK, out="study"):
    return run_analysis(folder / "data.csv", folder / out, reading or ReadOptions(), options)


def encoded(folder):
    encode_file(folder / "study", folder / "data.csv", folder / "latents.npy")
    return np.load(folder / "latents.npy")


def check(folder, finished):
    """That it is as it was when it was finished."""
    name = "study/latents.csv"
    assert (folder / name).read_text() == (finished[0] / name).read_text()
    kept = AnalysisFolder(folder / "study").answers()
    assert kept.model_copy(update={"seconds": finished[1].seconds}) == finished[1]
    assert len(encoded(folder)) == 1500


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("diagnostics.json", "cut"),
        ("fits/count.json", "flip"),
        ("fits/reference/straightening/model.json", "missing"),
        ("fits/reference/unmixing/model.safetensors", "flip"),
    ],
)
def test_a_damaged_file_is_named_and_what_is_printed_mends_it(copied, finished, name, damage):
    path = copied / "study" / name
    content = path.read_bytes()
    if damage == "missing":
        path.unlink()
    else:
        middle = len(content) // 2
        flipped = content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]
        path.write_bytes(flipped if damage == "flip" else content[:-20])
        if name != "diagnostics.json":  # The same command writes that one again.
            with pytest.raises(UserError) as raised:
                fit(copied)
            command = re.search(r"\b(rm '.*') and run", str(raised.value))[1]
            assert name in command
            subprocess.run(command, shell=True, check=True)
    fit(copied)
    check(copied, finished)


def test_only_the_fit_that_is_missing_is_fitted_again(copied, fits):
    (copied / "study/fits/resampled-2/straightening/model.safetensors").unlink()
    fit(copied)
    assert len(fits) == 1


def test_a_damaged_study_json_gives_no_latents_and_is_not_written_over(copied):
    path = copied / "study" / "study.json"
    content = json.loads(path.read_text())
    content["scales"][0] = 5.204
    path.write_text(json.dumps(content))
    for action in (encoded, fit):
        with pytest.raises(UserError, match=r"study\.json is damaged .*another --out"):
            action(copied)
    assert json.loads(path.read_text()) == content


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"format_version": 2}, "format_version"),
        ({"more": 1}, "more"),
        ({"columns": []}, "columns"),
        ({"columns": ["a", "b", "c"]}, "every column needs"),
        ({"means": [None]}, "means.0"),
        ({"scales": [0.0]}, "scales.0"),
        ({"image_shape": [1, 2]}, "image_shape"),
        ({"reading": {"missing": "bogus"}}, "reading.missing"),
        ({"options": {"fits": 1}}, "options.fits"),
    ],
)
def test_a_study_json_of_another_program_is_named_with_the_place(copied, change, place):
    path = copied / "study" / "study.json"
    content = json.loads(path.read_text())
    del content[CHECKSUM]
    write_checked_json(path, content | change)
    with pytest.raises(UserError, match=rf"study\.json cannot be used .*{place}"):
        AnalysisFolder(copied / "study").manifest()


@pytest.mark.parametrize("options", [{"seed": 1}, {"n_latents": 2}])
def test_a_folder_of_another_analysis_is_refused(copied, options):
    with pytest.raises(UserError, match="other data or with other options"):
        fit(copied, options=AnalysisOptions(**{"quick": True, "n_latents": 3} | options))


def test_a_folder_that_is_not_ours_is_refused_and_left_alone(finished, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "file").write_text("mine")
    data = finished[0] / "data.csv"
    with pytest.raises(UserError, match="holds no study: choose another"):
        run_analysis(data, tmp_path, ReadOptions(), QUICK)
    with pytest.raises(UserError, match="file is a file"):
        run_analysis(data, tmp_path / "file", ReadOptions(), QUICK)
    with pytest.raises(UserError, match="holds no study: make one with `pdgmm fit"):
        encode_file(tmp_path, data, tmp_path / "x.csv")
    with pytest.raises(UserError, match="holds no study: make one with `pdgmm fit"):
        AnalysisFolder(tmp_path).answers()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "notes.txt"]


def test_a_fit_of_other_columns_is_refused_and_made_again(copied, finished, fits):
    fit(copied, ReadOptions(drop_columns=["d"]), AnalysisOptions(quick=True, n_latents=2), out="other")
    shutil.copytree(
        copied / "other/fits/reference", copied / "study" / "fits" / "reference", dirs_exist_ok=True
    )
    with pytest.raises(UserError, match=r"reference was fitted to 3 columns and .*study.json names 4"):
        encoded(copied)
    fits.clear()
    fit(copied)
    assert len(fits) == 1
    check(copied, finished)
