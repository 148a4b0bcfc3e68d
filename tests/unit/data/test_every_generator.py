"""What holds for every generator of the catalogue, and for those that draw latents from an SCM."""

import json

import h5py
import numpy as np
import pytest
from pydantic import ValidationError

from pdgmm.data import GENERATORS, generator_class
from pdgmm.data.base import SampleCounts
from pdgmm.data.masked_scm import MaskedScm
from pdgmm.data.shared_draws import same_for_every_seed
from pdgmm.steps.generate import generate_dataset
from pdgmm.store import hdf5
from pdgmm.study.study import Dataset

COUNTS = dict.fromkeys(SampleCounts.model_fields, 40)
SMALL = {name: {"samples": COUNTS} for name in ("pdgmm", "blocks", "gmm", "nongeneric", "two_bases")}
SMALL |= {
    "balls": {"size": 8, "samples": dict.fromkeys(("train", "test", "unmasked"), 40)},
    "domains": {"domains": 4, "samples": dict.fromkeys(("train", "test"), 10)},
    "file": {"u": "group", "n_latents": 2},
    "repeated": {"of": {"generator": "gmm", "samples": COUNTS}},
    "gene_regulation": {"genes": 20, "samples": dict.fromkeys(("train", "test"), 40)},
    "written_digits": {"source": "digits", "samples": dict.fromkeys(("train", "test"), 40)},
    "sprites": {"size": 8, "samples": dict.fromkeys(("train", "test"), 40)},
}
SMALL |= {
    name: {"samples": dict.fromkeys(("train", "test"), 40)}
    for name in ("pinwheel", "parallelograms", "mixture_recovery", "segments", "dependency", "influence")
}
every_generator = pytest.mark.parametrize("name", GENERATORS)
every_scm = pytest.mark.parametrize("name", ["pdgmm", "blocks", "gmm", "nongeneric", "two_bases"])


@pytest.fixture
def content(tmp_path):
    """``content(name, seed)``: arrays and their roles by path in a small dataset, and its number of latents."""
    table = np.column_stack([np.random.default_rng(0).normal(size=(100, 2)), np.arange(100) % 3])
    np.savetxt(tmp_path / "my.csv", table, delimiter=",", header="a,b,group", comments="")

    def written(name, seed):
        own = {"file": str(tmp_path / "my.csv")} if name == "file" else {}
        settings = generator_class(name)(**SMALL[name] | own)
        generate_dataset(name, settings.canonical(), seed, tmp_path / "d.h5")
        found = {}
        with hdf5.opened(tmp_path / "d.h5", "dataset") as file:
            file.visititems(
                lambda path, item: found.update(
                    {path: (item[()], hdf5.role(item))} if isinstance(item, h5py.Dataset) else {}
                )
            )
            return settings, found, hdf5.about(file, "n_latents")

    return written


@every_generator
def test_x_and_side_variables_are_observed_and_all_else_is_truth(name, content):
    settings, found, latents = content(name, 0)
    for path, (values, role) in found.items():
        observed = path.split("/")[-1] in ("x", *settings.side())
        assert role == (hdf5.OBSERVED if observed else hdf5.TRUTH), path
        if path.endswith("/z"):
            assert values.shape == (40, latents)
    splits = {path.split("/")[0] for path in found if path.endswith("/x")}
    assert splits == set(type(settings.samples).model_fields)
    for side in settings.side():
        assert all(len(found[f"{split}/{side}"][0]) == len(found[f"{split}/x"][0]) for split in splits)
    for truth in settings.truth():
        assert f"train/{truth}" in found or truth in found


@every_generator
def test_the_same_seed_gives_the_same_bytes(name, content):
    first, again, other = (content(name, seed)[1] for seed in (0, 0, 1))
    assert {path: values.tobytes() for path, (values, _) in first.items()} == {
        path: values.tobytes() for path, (values, _) in again.items()
    }
    shared = same_for_every_seed(generator_class(name)(**SMALL[name])) if name != "file" else False
    assert np.array_equal(first["train/x"][0], other["train/x"][0]) == shared


@every_generator
def test_every_setting_is_described(name):
    assert all(field.description for field in generator_class(name).model_fields.values())


@every_scm
def test_the_structure_fits_the_samples(name):
    world = generator_class(name)().build(0)
    structure = world.structure()
    arrays = structure.arrays
    component = world.sample("train", 2000, np.random.default_rng(0))["component"]
    assert component.min() == 0
    assert component.max() == len(arrays["masks"]) - 1 == structure.facts["components"] - 1
    assert arrays["scm/adjacency"].shape == arrays["scm/weights"].shape == (10, 10)
    assert {"mixing/embedding", "mixing/weights", "mixing/slopes"} < set(arrays)
    assert {"assumption_3_6", "assumption_3_8a", "assumption_3_8b"} < set(
        json.loads(json.dumps(structure.facts))
    )


@every_scm
def test_an_observation_smaller_than_the_latents_is_refused(name):
    with pytest.raises(ValidationError, match=r"x_dim=9 is less than n=10.*use x_dim >= 10"):
        generator_class(name)(x_dim=9)


def test_the_names_of_datasets_stay_what_they_were():
    """A changed name would throw away every dataset and result made under the old one."""
    changed = MaskedScm(rho=0.75, x_dim=20)
    base = Dataset("pdgmm", "pdgmm", MaskedScm())
    assert base.with_settings(MaskedScm()).name == "pdgmm-3a4ae43e"
    assert base.with_settings(changed).name == "pdgmm_rho0.75_x_dim20-4e33ab1b"
