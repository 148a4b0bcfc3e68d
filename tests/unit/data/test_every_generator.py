"""What holds for every generator of the catalogue that draws latents from an SCM."""

import numpy as np
import pytest
from pydantic import ValidationError

from pdgmm.data import generator_class
from pdgmm.data.base import SPLITS
from pdgmm.data.masked_scm import MaskedScm
from pdgmm.study.dataset_names import dataset_name

NAMES = ("pdgmm", "blocks", "gmm", "nongeneric", "two_bases")
every_generator = pytest.mark.parametrize("name", NAMES)


@every_generator
def test_the_same_seed_gives_the_same_bytes(name):
    one, again, other = (generator_class(name)().build(seed) for seed in (0, 0, 1))
    for split in SPLITS:
        first, second, third = (
            world.sample(split, 50, np.random.default_rng(5)) for world in (one, again, other)
        )
        assert all(first[key].tobytes() == second[key].tobytes() for key in first)
        assert not np.array_equal(first["x"], third["x"])


@every_generator
def test_the_structure_fits_the_samples(name):
    world = generator_class(name)().build(0)
    structure = world.structure()
    arrays = structure.arrays
    component = world.sample("train", 2000, np.random.default_rng(0))["component"]
    assert component.min() == 0
    assert component.max() == len(arrays["masks"]) - 1 == structure.facts["components"] - 1
    assert arrays["scm/adjacency"].shape == arrays["scm/weights"].shape == (10, 10)
    assert {"mixing/embedding", "mixing/weights", "mixing/slopes"} < set(arrays)
    assert {"assumption_3_6", "assumption_3_8a", "assumption_3_8b"} < set(structure.facts)


@every_generator
def test_every_setting_is_described(name):
    assert all(field.description for field in generator_class(name).model_fields.values())


@every_generator
def test_an_observation_smaller_than_the_latents_is_refused(name):
    with pytest.raises(ValidationError, match=r"x_dim=9 is less than n=10.*use x_dim >= 10"):
        generator_class(name)(x_dim=9)


def test_the_names_of_datasets_stay_what_they_were():
    """A changed name would throw away every dataset and result made under the old one."""
    changed = MaskedScm(rho=0.75, x_dim=20)
    assert dataset_name("pdgmm", "pdgmm", MaskedScm(), MaskedScm()) == "pdgmm-3a4ae43e"
    assert dataset_name("pdgmm", "pdgmm", MaskedScm(), changed) == "pdgmm_rho0.75_x_dim20-4e33ab1b"
