"""A change re-runs exactly what depends on it."""

import subprocess

import pytest

pytestmark = pytest.mark.slow

REPORT = {"tabulate": 1, "summarise": 1, "draw_heatmaps": 1}
STAGE2 = {"train_stage2": 1, "encode": 1, "score": 1, **REPORT}
AUTOENCODER = {**STAGE2, "train_stage1": 1, "encode": 2, "encode_training": 1}
ALL = {**AUTOENCODER, "generate_dataset": 1, "train_stage1": 2, "encode": 3, "score": 2}


def change(project, path, value):
    """Give one value of the config, found by its path, another value."""
    config = project.config
    *parents, last = path.split("/")
    inner = config
    for key in parents:
        inner = inner[key]
    inner[last] = value
    project.config = config


def test_the_results_are_there_and_a_second_run_does_nothing(finished):
    for ending in ("csv", "md", "html"):
        assert "tiny" in (finished.folder / f"results/tables/summary.{ending}").read_text()
    for name in ("csv", "md", "tex", "html"):
        assert (finished.folder / f"results/tables/tiny.{name}").stat().st_size > 200
    assert len(list(finished.folder.glob("results/figures/tiny/*.svg"))) == 1
    table = (finished.folder / "results/tables/tiny.md").read_text()
    assert "autoencoder+lagrangian" in table
    assert "1,500 steps" in table, "a result is labelled with its size"
    assert "Nothing to be done" in finished.run()[1]


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("methods/lagrangian/sparsity", 0.02, STAGE2),
        ("experiments/tiny/methods", ["fastica"], REPORT),
        ("device", "cpu", {}),
    ],
)
def test_a_changed_config_reruns_what_depends_on_it(finished, path, value, expected):
    change(finished, path, value)
    assert finished.planned() == expected


def test_changing_a_dataset_makes_new_files_and_leaves_the_old_ones(finished):
    old = finished.files("datasets/*/*.h5")
    change(finished, "datasets/pdgmm/m", 2)
    assert finished.planned() == ALL
    finished.run("--until", "generate_dataset")
    new = finished.files("datasets/*/*.h5")
    assert len(new) == 2
    assert old.items() <= new.items()


def test_adding_a_seed_runs_that_seed_only(finished):
    change(finished, "experiments/tiny/seeds", [0, 1])
    _, output = finished.run("-n")
    assert "seed=0" not in output
    assert finished.planned() == {rule: count for rule, count in ALL.items() if rule != "draw_heatmaps"}


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("methods/sparse_affine/sparse_affine.py", STAGE2),
        ("methods/autoencoder_training.py", AUTOENCODER),
        ("evaluation/mcc.py", {"score": 2, **REPORT}),
        ("report/papers/pdgmm/published.csv", {"tabulate": 1, "summarise": 1}),
        ("methods/__init__.py", {}),
    ],
)
def test_editing_code_reruns_what_uses_it(finished, file, expected):
    path = finished.folder / "src/pdgmm" / file
    edit = "\nedited = 1\n" if path.suffix == ".py" else path.read_text().splitlines()[-1] + "\n"
    path.write_text(path.read_text() + edit)
    assert finished.planned() == expected


def test_comments_times_of_files_and_freezing_the_code_rerun_nothing(finished):
    path = finished.folder / "src/pdgmm/methods/autoencoder_training.py"
    path.write_text('"""Other words."""\n# a comment\n' + path.read_text().partition('"""\n')[2])
    assert finished.planned() == {}
    subprocess.run(
        "find src config workflow datasets results -type f -exec touch {} +",
        shell=True,
        check=True,
        cwd=finished.folder,
    )
    assert finished.planned() == {}
    path.write_text(path.read_text() + "\nedited = 1\n")
    assert finished.planned("--config", "track_code=false") == {}
    assert finished.planned() == AUTOENCODER
