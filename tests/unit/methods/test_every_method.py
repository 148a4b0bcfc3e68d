"""What holds for every method of the catalogue, on tiny data."""

import json
import logging
import subprocess
import sys
from functools import cache
from itertools import islice
from typing import ClassVar

import numpy as np
import pytest
import torch

from pdgmm.catalogue import module_of
from pdgmm.data.balls.balls import Balls
from pdgmm.errors import FitFailed
from pdgmm.fitting import samples, training_loop
from pdgmm.fitting.run import Fitted, Run
from pdgmm.fitting.samples import Samples
from pdgmm.methods import METHODS, method_class
from pdgmm.methods.sparse_affine.sparse_affine import Lagrangian
from pdgmm.models.affine_model import IdentityModel
from pdgmm.models.model_files import FittedModel, load_model, save_model
from pdgmm.steps.train import FitOptions, train
from pdgmm.store import hdf5

SMALL = {"widths": [2, 2], "steps": 40, "batch_size": 64, "learning_rate": 1e-3}
UNITS = {"hidden_units": [8, 8], "batch_size": 64, "components": 6, "learning_rate": 1e-3}
VAE = {"encoder_units": [8, 8], "decoder_units": [8], "batch_size": 64, "steps": 40, "learning_rate": 1e-3}
FLOW = {"steps": 20, "batch_size": 64, "blocks": 2, "width": 8}
DICA = {"units": [8], "steps": 40, "batch_size": 64, "learning_rate": 1e-3}
TINY = {
    "identity": {},
    "fastica": {},
    "autoencoder": SMALL,
    "lagrangian": SMALL,
    "lagrangian, simultaneous": SMALL | {"extragradient": False},
    "unconstrained": SMALL,
    "unconstrained, fixed scale": SMALL | {"learned_scale": False, "schedule": "cosine"},
    "flow": FLOW | {"turns": 1},
    "flow_gmm": FLOW | {"components": 6, "held_out_clusters": 0.4, "refresh_every": 5},
    "spike_slab": {"starts": 2},
    "spike_slab, with supports": {"starts": 2, "supports": True},
    "oracle": FLOW,
    # A checkpoint after every eighth of the steps: one is just between the phases.
    "vade": UNITS | {"pretraining_steps": 15, "steps": 25},
    "vade, without pretraining": UNITS | {"pretraining_steps": 0, "steps": 40},
    "vade_as_published": UNITS | {"steps": 40},
    "vade, by EM": UNITS | {"pretraining_steps": 15, "steps": 25, "mixture_update": "em", "em_every": 4},
    "vade_kivva": UNITS | {"pretraining_steps": 15, "steps": 25, "decoder_units": [8]},
    "mfcvae": VAE | {"likelihood": "gaussian", "components": 6},
    "mfcvae, two facets": VAE | {"likelihood": "gaussian", "components": 3, "facets": 2},
    "mfcvae_relu": VAE | {"likelihood": "gaussian", "components": 6},
    "ivae": VAE,
    "ivae_classes": VAE | {"likelihood": "gaussian"},
    "vae": VAE,
    # A checkpoint after every eighth of the steps: one is just before the turn.
    "ddl": {"units": [8], "steps": 40, "batch_size": 64, "restarts": 2, "rotations": 5, "weight": 1e-3},
    "ddl_as_published": VAE,
    "hessian_penalty": VAE,
    "orojar": VAE,
    "supervised": {"units": [8], "steps": 40, "batch_size": 64, "learning_rate": 1e-3},
    "pca": {},
    "domain_means": {},
    "fastica_per_domain": {},
    "nonstationary": {},
    # All samples in every step: here u says nothing, and batches differ more than the training gains.
    "domain_flow": FLOW | {"batch_size": 512},
    "domain_flow, likelihood alone": FLOW | {"batch_size": 512, "sparsity": 0},
    "cg_vae": VAE,
    "cg_vae, Gaussian, as published": VAE | {"prior": "gaussian", "scaled": False},
    "cg_vae, without domains": VAE | {"domains": False, "alpha": 0},
    "cg_gan": {"steps": 20, "encoder_steps": 20, "batch_size": 64, "units": [8, 8]},
    "l1_rotation": {"starts": 3, "sweeps": 40},
    "dica": DICA | {"starts": 2, "sweeps": 20, "jacobians": 8},
    "dica_as_published": DICA | {"learning_rate": 1e-2},
    "sparse_jacobian": DICA,
    "component_axes": {"most_components": 3, "starts": 1},
    "keypoints": {"steps": 20, "batch_size": 16, "channels": 4, "points": 2, "evaluate_every": 5},
    "cnn": {"steps": 8, "batch_size": 8, "evaluate_every": 3},
}
PHASES = ("steps", "pretraining_steps", "encoder_steps")
CODE_DIM = {"identity": 5, "domain_means": 5, "cnn": 128}
"""Of methods whose code is not as wide as the number of latents, 4."""


def tiny(name):
    return method_class(name.split(",")[0])(**TINY[name])


every_method = pytest.mark.parametrize("name", TINY)
TRAINED = [name for name in TINY if "steps" in TINY[name]]
every_trained_method = pytest.mark.parametrize("name", TRAINED)


def test_every_method_of_the_catalogue_is_tested_here():
    assert {name.split(",")[0] for name in TINY} == set(METHODS)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Datasets of numbers and of images, with everything a method may declare that it needs."""
    rng = np.random.default_rng(0)
    masks = (rng.random((12, 4)) < 0.5).astype(np.uint8)
    component = rng.integers(12, size=600)
    z = rng.normal(size=(600, 4)) * masks[component]
    x = z @ np.linalg.qr(rng.normal(size=(5, 4)))[0].T + 0.3
    drawn = Balls(size=64).build(0).sample("train", 80, rng)
    worlds = {
        "numbers": ({"x": x.astype(np.float32), "z": z, "component": component}, {}),
        "images": (drawn, {"image_shape": [64, 64, 3]}),
    }
    folder = tmp_path_factory.mktemp("data")
    for kind, (arrays, facts) in worlds.items():
        with hdf5.create(folder / f"{kind}.h5", "dataset", {"n_latents": 4, "facts": facts}) as file:
            hdf5.put(file, "masks", masks, hdf5.TRUTH)
            hdf5.put(file, "train/u", np.arange(len(arrays["x"])) % 3, hdf5.OBSERVED)
            for array, values in arrays.items():
                hdf5.put(file, f"train/{array}", values, hdf5.OBSERVED if array == "x" else hdf5.TRUTH)
    return {kind: folder / f"{kind}.h5" for kind in worlds}


@pytest.fixture(scope="module")
def data_of(files):
    def data(name):
        method = method_class(name.split(",")[0])
        path = files["images" if method.reads_images else "numbers"]
        return Samples.from_file(path, sees=method.sees, told=method.told)

    return data


@pytest.fixture(scope="module")
def fitted(data_of):
    """``fitted(name, seed)``: the fit and its run, made once."""

    @cache
    def fit(name, seed=3):
        run = Run(seed=seed)
        return tiny(name).fit(data_of(name), run), run

    return fit


def codes(fit, data):
    seen = {name: data.side[name] for name in fit.model.sees}
    return fit.model.encode(data.array(), **seen)


@every_method
def test_shape_type_determinism_and_random_numbers(name, data_of, fitted):
    data = data_of(name)
    code = codes(fitted(name)[0], data)
    assert code.shape == (data.n_samples, CODE_DIM.get(name, 4))
    assert code.dtype == np.float32
    assert np.isfinite(code).all()
    torch.manual_seed(5)
    before = torch.get_rng_state()
    np.testing.assert_array_equal(codes(tiny(name).fit(data, Run(seed=3)), data), code)
    assert torch.equal(torch.get_rng_state(), before)


@every_trained_method
def test_another_seed_gives_another_code(name, data_of, fitted):
    one, other = (codes(fitted(name, seed)[0], data_of(name)) for seed in (3, 4))
    assert not np.allclose(one, other)


@every_method
def test_saved_and_restored_it_is_the_same_to_the_bit(name, data_of, fitted, tmp_path):
    data, (fit, run) = data_of(name), fitted(name)
    save_model(tmp_path, FittedModel(fit.model, None, run.notes, fit.claims))
    restored = load_model(tmp_path)
    code = codes(fit, data)
    np.testing.assert_array_equal(codes(Fitted(restored.usable()), data), code)
    decoded = fit.model.decode(code)
    assert decoded.shape == (data.n_samples, data.x_dim)
    assert decoded.dtype == np.float32
    np.testing.assert_array_equal(restored.usable().decode(code), decoded)
    assert set(restored.claims) == set(fit.claims)
    for claim, values in fit.claims.items():
        np.testing.assert_array_equal(restored.claims[claim], values)
    assert restored.notes == json.loads(json.dumps(run.notes))


@every_method
def test_it_learns_from_a_streamed_file(name, data_of, monkeypatch):
    monkeypatch.setattr(samples, "IN_MEMORY_BYTES", 0)
    data = data_of(name)
    code = codes(tiny(name).fit(data, Run(seed=3)), data)
    assert code.shape == (data.n_samples, CODE_DIM.get(name, 4))
    assert np.isfinite(code).all()


@every_trained_method
def test_history_and_notes(name, fitted):
    run = fitted(name)[1]
    assert run.history[0]["step"] == 1
    assert run.history[-1]["step"] == sum(TINY[name].get(key, 0) for key in PHASES)
    assert run.notes["last_step"] == {key: value for key, value in run.history[-1].items() if key != "step"}
    # The loss of another phase is another one.
    if sum(TINY[name].get(key, 0) > 0 for key in PHASES) == 1:
        assert run.history[-1]["loss"] < run.history[0]["loss"]


class Crash(Exception):
    """Stands for a kill."""


@every_trained_method
@pytest.mark.parametrize("share", [0.3, 0.45, 0.8])
def test_a_killed_fit_resumes_to_the_same_bits(name, share, data_of, fitted, tmp_path, monkeypatch):
    data, (expected, whole) = data_of(name), fitted(name)
    steps = whole.history[-1]["step"]
    monkeypatch.setenv(training_loop.CHECKPOINT_EVERY_STEPS, str(max(1, steps // 8)))
    batches = training_loop.tensor_batches

    def killed(*arguments, **options):
        yield from islice(batches(*arguments, **options), int(share * steps))
        raise Crash

    def run():
        return Run(seed=3, checkpoint=tmp_path / "checkpoint", checkpoint_key="k")

    monkeypatch.setattr(training_loop, "tensor_batches", killed)
    with pytest.raises(Crash):
        tiny(name).fit(data, run())
    starts = []

    def counted(*arguments, start=0, **options):
        starts.append(start)
        return batches(*arguments, start=start, **options)

    monkeypatch.setattr(training_loop, "tensor_batches", counted)
    resumed = run()
    np.testing.assert_array_equal(codes(tiny(name).fit(data, resumed), data), codes(expected, data))
    assert max(starts) > 0
    assert resumed.history == whole.history
    assert resumed.notes == whole.notes


@every_trained_method
def test_a_damaged_checkpoint_is_ignored(name, data_of, fitted, tmp_path, caplog):
    (tmp_path / "c").write_bytes(b"no checkpoint")
    with caplog.at_level(logging.WARNING):
        fit = tiny(name).fit(data_of(name), Run(seed=3, checkpoint=tmp_path / "c"))
    assert "damaged" in caplog.text
    np.testing.assert_array_equal(codes(fit, data_of(name)), codes(fitted(name)[0], data_of(name)))


@every_trained_method
def test_divergence_is_a_recorded_failure(name, data_of):
    wild = tiny(name).model_copy(update={"learning_rate": 1e12})
    with pytest.raises(FitFailed) as raised:
        wild.fit(data_of(name), Run(seed=0))
    assert raised.value.status == "diverged"


@pytest.mark.parametrize(
    "name", [name for name in TRAINED if getattr(tiny(name), "gradient_clip", 0) is None]
)
def test_gradient_clipping_changes_the_path(name, data_of, fitted):
    # Adam does not see the length of a gradient that is always cut, but it sees one that is cut at times.
    clipped = tiny(name).model_copy(update={"gradient_clip": 1e-2})
    code = codes(clipped.fit(data_of(name), Run(seed=3)), data_of(name))
    assert not np.array_equal(code, codes(fitted(name)[0], data_of(name)))


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("identity", ""),
        ("autoencoder", "40 steps of 64, widths 2-2 n"),
        ("flow", "20 steps of 64, 2 couplings of width 8"),
        ("vade", "15 + 25 steps of 64, 8-8 units, 6 components"),
        ("keypoints", "20 steps of 16"),
    ],
)
def test_the_size_of_a_fit_in_words(name, size):
    assert tiny(name).size() == size


@pytest.mark.parametrize(
    ("name", "settings", "words"),
    [
        ("autoencoder", {}, ""),
        (
            "autoencoder",
            {"steps": 10, "widths": [50, 60]},
            "steps 10 of 5,000, widths 50-60 of 50-100-100-50",
        ),
        ("lagrangian", {"steps": 12_500}, "steps 12,500 of 80,000"),
        ("lagrangian", Lagrangian.stand_in, ""),
        (
            "lagrangian",
            {**Lagrangian.stand_in, "widths": [2, 10, 2]},
            "steps 12,500 of 80,000, batch size 2,048 of 6,144, widths 2-10-2 of 10-50-50-50-50-10",
        ),
        ("vade", {"steps": 1}, ""),
        ("vade_as_published", {"steps": 6000, "batch_size": 64}, "batch size 64 of 6,144"),
    ],
)
def test_what_is_smaller_than_in_the_paper_in_words(name, settings, words):
    assert method_class(name)(**settings).reduced() == words


def test_a_training_that_is_judged_in_place_of_the_papers_says_so():
    assert Lagrangian(**Lagrangian.stand_in).size().endswith(", in place of the paper's size")
    assert "in place" not in Lagrangian().size()


PUBLISHED = {
    "autoencoder": "batch_size=6144 learning_rate=0.0001 slope=0.02 steps=5000 widths=[50,100,100,50]",
    "lagrangian": "batch_size=6144 dual_learning_rate=5e-05 extragradient=true learned_scale=true "
    "learning_rate=0.0001 sparsity=0.01 steps=80000 widths=[10,50,50,50,50,10]",
    "vade_as_published": 'components=null decoder_output="sigmoid" hidden_units=[512,512,2048] '
    "learning_rate=0.0001 pretraining_steps=0 slope=0 standardise=false steps=5001",
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_defaults_are_the_papers(name):
    expected = {
        key: json.loads(value) for key, value in (part.split("=") for part in PUBLISHED[name].split())
    }
    assert {key: getattr(method_class(name)(), key) for key in expected} == expected


@pytest.mark.parametrize("name", METHODS)
def test_every_setting_is_described(name):
    assert all(field.description for field in method_class(name).model_fields.values())


def test_the_settings_can_be_read_without_torch_and_scikit_learn():
    modules = sorted({module_of(METHODS, name) for name in METHODS})
    program = (
        f"import sys; [__import__(name) for name in {modules!r}]; "
        "print(sorted({'torch', 'sklearn'} & set(sys.modules)))"
    )
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


class SeesU(method_class("identity")):
    """A method that asks for one side variable."""

    sees: ClassVar = ("u",)


@pytest.mark.parametrize("kind", [*map(method_class, METHODS), SeesU], ids=[*METHODS, "sees u"])
def test_a_method_is_given_what_it_declares_and_no_other_truth(kind, files, tmp_path, monkeypatch):
    given = []

    def fit(self, data, run):
        given.append(data)
        return Fitted(IdentityModel())

    monkeypatch.setattr(kind, "fit", fit)
    monkeypatch.setattr("pdgmm.steps.train.method_class", lambda name: kind)
    train("identity", "{}", files["numbers"], 0, tmp_path, FitOptions(device="cpu", track_code=False))
    (data,) = given
    assert set(data.told) == set(kind.told)
    assert set(data.side) == set(kind.sees)
    assert set(next(data.batches(8, seed=0))) == {"x", *kind.sees}


def test_only_the_oracles_are_told_the_truth():
    assert [name for name in METHODS if method_class(name).told] == ["oracle", "supervised"]
