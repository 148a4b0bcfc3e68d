"""A change re-runs exactly what depends on it."""

import subprocess

import pytest

pytestmark = pytest.mark.slow

SCORE_AND_WHAT_FOLLOWS = {
    "encode": 1,
    "score": 1,
    "tabulate": 1,
    "summarise": 1,
    "draw_heatmaps": 1,
}
STAGE2_AND_WHAT_FOLLOWS = {"train_stage2": 1, **SCORE_AND_WHAT_FOLLOWS}


def test_a_second_run_does_nothing(finished):
    _, output = finished.run()
    assert "Nothing to be done" in output


def test_the_results_are_there(finished):
    for ending in ("csv", "md", "html"):
        assert "tiny" in (finished.folder / f"results/tables/summary.{ending}").read_text()
    for name in ("csv", "md", "tex", "html"):
        assert (finished.folder / f"results/tables/tiny.{name}").stat().st_size > 200
    assert len(list(finished.folder.glob("results/figures/tiny/*.svg"))) == 1
    table = (finished.folder / "results/tables/tiny.md").read_text()
    assert "autoencoder+lagrangian" in table
    assert "40 steps" in table, "a result is labelled with its size"


def test_changing_the_sparsity_level_refits_stage2_only(finished):
    config = finished.config
    config["methods"]["lagrangian"]["sparsity"] = 0.02
    finished.config = config
    assert finished.planned() == STAGE2_AND_WHAT_FOLLOWS


def test_changing_a_dataset_makes_new_files_and_leaves_the_old_ones(finished):
    old = finished.files("datasets/*/*.h5")
    config = finished.config
    config["datasets"]["pdgmm"]["m"] = 2
    finished.config = config
    assert finished.planned() == {
        "generate_dataset": 1,
        "train_stage1": 2,
        "train_stage2": 1,
        "encode": 3,
        "encode_training": 1,
        "score": 2,
        "tabulate": 1,
        "summarise": 1,
        "draw_heatmaps": 1,
    }
    finished.run("--until", "generate_dataset")
    new = finished.files("datasets/*/*.h5")
    assert len(new) == 2
    assert old.items() <= new.items()


def test_adding_a_seed_runs_that_seed_only(finished):
    config = finished.config
    config["experiments"]["tiny"]["seeds"] = [0, 1]
    finished.config = config
    _, output = finished.run("-n")
    assert "seed=0" not in output
    assert finished.planned() == {
        "generate_dataset": 1,
        "train_stage1": 2,
        "train_stage2": 1,
        "encode": 3,
        "encode_training": 1,
        "score": 2,
        "tabulate": 1,
        "summarise": 1,
    }


def test_dropping_a_method_trains_nothing(finished):
    config = finished.config
    config["experiments"]["tiny"]["methods"] = ["fastica"]
    finished.config = config
    assert finished.planned() == {"tabulate": 1, "summarise": 1, "draw_heatmaps": 1}


def test_where_it_runs_changes_nothing(finished):
    config = finished.config
    config["device"] = "cpu"
    finished.config = config
    assert finished.planned() == {}


AUTOENCODER = {
    "train_stage1": 1,
    "train_stage2": 1,
    "encode": 2,
    "encode_training": 1,
    "score": 1,
    "tabulate": 1,
    "summarise": 1,
    "draw_heatmaps": 1,
}


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("methods/sparse_affine/lagrangian.py", STAGE2_AND_WHAT_FOLLOWS),
        ("methods/autoencoder_training.py", AUTOENCODER),
        ("evaluation/mcc.py", {"score": 2, "tabulate": 1, "summarise": 1, "draw_heatmaps": 1}),
        ("report/papers/pdgmm/published.csv", {"tabulate": 1, "summarise": 1}),
        ("methods/__init__.py", {}),
    ],
)
def test_editing_code_reruns_what_uses_it_unless_frozen(finished, file, expected):
    path = finished.folder / "src/pdgmm" / file
    edit = "\nedited = 1\n" if path.suffix == ".py" else path.read_text().splitlines()[-1] + "\n"
    path.write_text(path.read_text() + edit)
    assert finished.planned() == expected
    assert finished.planned("--config", "track_code=false") == {}


def test_comments_and_docstrings_rerun_nothing(finished):
    path = finished.folder / "src/pdgmm/methods/autoencoder_training.py"
    path.write_text('"""Other words."""\n# a comment\n' + path.read_text().partition('"""\n')[2])
    assert finished.planned() == {}


def test_touching_files_reruns_nothing(finished):
    subprocess.run(
        "find src config workflow datasets results -type f -exec touch {} +",
        shell=True,
        check=True,
        cwd=finished.folder,
    )
    assert finished.planned() == {}


def test_freezing_and_thawing_the_code_reruns_nothing(finished):
    assert finished.planned("--config", "track_code=false") == {}
    assert finished.planned() == {}
