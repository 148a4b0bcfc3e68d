"""The benchmark on what `pdgmm fit` calls trusted: the right worlds, and a page whatever happens in one of them."""

import importlib.util
import json
import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from pdgmm.data import generator_class
from pdgmm.errors import UserError

FOLDER = Path(__file__).parents[3] / "benchmarks" / "trust"


@pytest.fixture(scope="module")
def trust():
    """The script as a module. By its path: other benchmarks have a ``run.py`` too."""
    sys.path.insert(0, str(FOLDER))
    spec = importlib.util.spec_from_file_location("trust_run", FOLDER / "run.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.path.remove(str(FOLDER))
    return module


@pytest.fixture(scope="module")
def worlds(trust):
    """The module of the worlds, which the script has imported."""
    return sys.modules[trust.Case.__module__]


def assumptions(case):
    facts = generator_class(case.generator)(**case.settings).build(case.seed).structure().facts
    return {name: fact["holds"] for name, fact in facts.items() if name.startswith("assumption")}


def test_there_are_worlds_enough_of_every_kind(worlds):
    counts = Counter(case.group for case in worlds.CASES)
    assert counts[worlds.AFFINE] >= 10
    assert counts[worlds.BENT] >= 15
    assert counts[worlds.VIOLATE] >= 20
    assert len({case.name for case in worlds.CASES}) == len(worlds.CASES), "each is kept under its name"
    assert {case.settings.get("n", case.n) for case in worlds.CASES if case.generator} == {4, 6, 8}


def test_flows_are_fitted_to_some_of_every_kind(worlds):
    fitted = worlds.fitted_with_flows()
    assert all(case in worlds.CASES for case in fitted)
    assert {case.group for case in fitted} == set(worlds.GROUPS)
    assert {case.generator for case in fitted} == {"pdgmm", "gmm", "blocks", None}
    assert {str(case.settings) for case in fitted} == {str(case.settings) for case in worlds.CASES}
    for group in (worlds.AFFINE, worlds.BENT, worlds.VIOLATE):
        assert {case.settings["n"] for case in fitted if case.group == group} == {4, 6, 8}
    assert len(fitted) < len(worlds.CASES) / 2


def test_what_obeys_does_so_by_the_generators_own_checks(worlds):
    obeying = [case for case in worlds.CASES if case.group in (worlds.AFFINE, worlds.BENT)]
    broken = {case.name: facts for case in obeying if not all((facts := assumptions(case)).values())}
    assert broken == {}
    assert {case.settings["m"] == 1 for case in obeying if case.group == worlds.AFFINE} == {True}


def test_what_violates_is_caught_by_the_checks_or_is_beyond_them(worlds):
    for case in (case for case in worlds.CASES if case.group == worlds.VIOLATE):
        # The checks are of supports; that the latents are Gaussian and the mixing piecewise affine are settings.
        beyond = case.settings.get("noise") or case.settings.get("activation")
        assert beyond or not all(assumptions(case).values()), case.name


def test_a_failing_case_is_listed_and_the_page_is_still_written(trust, tmp_path, monkeypatch):
    def study(data, out, *_):
        if out.name == "bad":
            raise UserError("made to fail")
        out.mkdir()
        rows = np.load(data)
        np.savetxt(out / "latents.csv", np.c_[np.arange(len(rows)), rows], delimiter=",", header="row,…")
        latents = [SimpleNamespace(trusted=False)] * rows.shape[1]
        return SimpleNamespace(identified=SimpleNamespace(latents=latents))

    monkeypatch.setattr(trust, "run_analysis", study)
    cases = [trust.Case("good", trust.NOISE, None, 0, n=2), trust.Case("bad", trust.NOISE, None, 1, n=2)]
    found = [trust.outcome(case, tmp_path, quick=True) for case in cases]
    assert found[1] == {"name": "bad", "group": trust.NOISE, "failed": "made to fail"}
    assert json.loads((tmp_path / "good.json").read_text())["true_latents"] == 2
    page = trust.page({"pdgmm fit": found})
    assert f"| {trust.NOISE} | 1 | 2 | 0 | 0.0% | 0 | – |" in page
    assert f"1 of 2 datasets failed:\n\n- `bad` ({trust.NOISE}): made to fail" in page
    assert "failed" not in trust.page({"pdgmm fit": found[:1]})


def test_the_page_counts_what_is_trusted_and_what_is_right_for_each_command(trust, worlds):
    one = {
        "name": "a",
        "group": worlds.BENT,
        "closest": [0.99, 0.9, 0.97],
        "trusted": [True, True, False],
        "true_latents": 4,
    }
    page = trust.page({"pdgmm fit": [one], "pdgmm fit --quick": [one | {"trusted": [False] * 3}]})
    assert f"| {worlds.BENT} | 1 | 4 | 2 | 50.0% | 1 | 50.0% |" in page
    assert f"| {worlds.BENT} | 1 | 4 | 0 | 0.0% | 0 | – |" in page.split("`pdgmm fit --quick`\n")[1]
    assert "- `a`: 0.90" in page
    noise = one | {"group": worlds.NOISE, "true_latents": 9}
    page = trust.page({"pdgmm fit": [one, one | {"true_latents": 6}, noise]})
    assert "rows and 4 to 6 latents." in page, "directions of noise are not latents"
