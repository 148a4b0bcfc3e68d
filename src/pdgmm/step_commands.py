"""The commands ``pdgmm step …``: what the workflow's rules call, files in, files out.

Imports stand inside the commands: the small steps must not wait for torch.
"""

import functools
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from pdgmm.freed_memory import reuse_freed_memory
from pdgmm.thread_counts import thread_counts

DATASET = click.option("--dataset", type=click.Path(path_type=Path), required=True, help="HDF5 dataset file.")
SEED = click.option("--seed", type=click.IntRange(min=0), required=True, help="Seed of the run.")
OUT_FILE = click.option("--out", type=click.Path(path_type=Path), required=True, help="File to write.")
OUT_FOLDER = click.option("--out", type=click.Path(path_type=Path), required=True, help="Folder to write to.")
DEVICE = click.option(
    "--device", default="auto", envvar="PDGMM_DEVICE", show_default=True, help="auto, cpu, cuda or mps."
)


@click.group()
@click.option("--threads", type=click.IntRange(min=1), default=1, show_default=True, help="CPU threads.")
@click.pass_context
def step(context: click.Context, threads: int) -> None:
    """The workflow's steps, files in, files out; Snakemake calls them.

    Example: pdgmm step --threads 2 train-stage1 --method flow --dataset data.h5 --seed 0 --out flow/
    """
    # Before NumPy and torch are imported: they read these once, when they start their thread pools.
    os.environ.update(thread_counts(threads))
    reuse_freed_memory()
    context.obj = threads


@step.command()
@click.option("--generator", required=True, help="Name of the generator.")
@click.option("--settings", required=True, help="Its settings as JSON.")
@SEED
@OUT_FILE
def generate(generator: str, settings: str, seed: int, out: Path) -> None:
    """Draw a dataset.

    Example: pdgmm step generate --generator pdgmm --settings '{"n": 5}' --seed 0 --out data.h5
    """
    from pdgmm.steps.generate import generate_dataset

    generate_dataset(generator, settings, seed, out)


def fit_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options that both training commands share, handed on as one ``options`` object."""

    @DATASET
    @SEED
    @OUT_FOLDER
    @click.option("--method", required=True, help="Name of the stage's method.")
    @click.option("--settings", default="{}", show_default=True, help="Its settings as JSON.")
    @DEVICE
    @click.option(
        "--track-code",
        type=bool,
        default=True,
        envvar="PDGMM_TRACK_CODE",
        show_default=True,
        help="Whether a checkpoint made by other code is ignored.",
    )
    @click.pass_obj
    @functools.wraps(command)
    def with_options(threads: int, device: str, track_code: bool, **arguments: Any) -> None:
        from pdgmm.steps.train import FitOptions

        options = FitOptions(device, threads, show_progress=sys.stderr.isatty(), track_code=track_code)
        command(options=options, **arguments)

    return with_options


@step.command("train-features")
@fit_options
def train_features(**arguments: Any) -> None:
    """Train a network that reads images.

    Example: pdgmm step train-features --method keypoints --dataset images.h5 --seed 0 --out keypoints/
    """
    from pdgmm.steps import train

    images = arguments.pop("dataset")
    train.train_features(settings_json=arguments.pop("settings"), images=images, **arguments)


@step.command("extract-features")
@click.option("--images", type=click.Path(path_type=Path), required=True, help="HDF5 dataset of images.")
@click.option("--model", type=click.Path(path_type=Path), required=True, help="Folder of the network.")
@click.option("--name", required=True, help="Name of the features in the config.")
@DEVICE
@OUT_FILE
@click.pass_obj
def extract_features(threads: int, **arguments: Any) -> None:
    """Replace a dataset's images by the features of a network.

    Example: pdgmm step extract-features --images images.h5 --model keypoints/ --name keypoints --out features.h5
    """
    from pdgmm.steps.extract_features import extract_features

    extract_features(threads=threads, **arguments)


@step.command("train-stage1")
@fit_options
def train_stage1(**arguments: Any) -> None:
    """Fit a stage 1 to a dataset.

    Example: pdgmm step train-stage1 --method autoencoder --dataset data.h5 --seed 0 --out autoencoder/
    """
    from pdgmm.steps import train

    train.train_stage1(settings_json=arguments.pop("settings"), **arguments)


@step.command("train-stage2")
@click.option(
    "--stage1", type=click.Path(path_type=Path), required=True, help="Folder of the fitted stage 1."
)
@fit_options
def train_stage2(stage1: Path, **arguments: Any) -> None:
    """Fit a stage 2 to the codes of a stage 1 and encode the held-out samples.

    \b
    Example: pdgmm step train-stage2 --method fastica --stage1 autoencoder/ \\
                 --dataset data.h5 --seed 0 --out both/
    """
    from pdgmm.steps import train

    train.train_stage2(settings_json=arguments.pop("settings"), stage1_folder=stage1, **arguments)


@step.command()
@DATASET
@click.option("--latents", type=click.Path(path_type=Path), required=True, help="latents.h5 of the method.")
@click.option("--label", required=True, help="JSON with `method` and `size`, the words for the tables.")
@OUT_FILE
def score(dataset: Path, latents: Path, label: str, out: Path) -> None:
    """Score a method's latents against the truth.

    \b
    Example: pdgmm step score --dataset data.h5 --latents both/latents.h5 \\
                 --label '{"method": "identity+fastica", "size": ""}' --out scores.json
    """
    from pdgmm.steps.score import score_run

    score_run(dataset, latents, label, out)


@step.command()
@click.option("--plan", type=click.Path(path_type=Path), required=True, help="What to gather: a JSON file.")
@click.option("--results", type=click.Path(path_type=Path), required=True, help="Folder of the results.")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Path of the tables, no ending.")
def tabulate(plan: Path, results: Path, out: Path) -> None:
    """Gather an experiment's scores into tables (CSV, Markdown, LaTeX, HTML).

    Example: pdgmm step tabulate --plan plan.json --results results --out results/tables/table1
    """
    from pdgmm.steps.tabulate import tabulate

    tabulate(plan, results, out)


@step.command("draw-cost")
@click.option("--table", type=click.Path(path_type=Path), required=True, help="CSV table of the experiment.")
@click.option("--title", required=True, help="Heading of the figure.")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Path of the figure, no ending.")
def draw_cost(table: Path, title: str, out: Path) -> None:
    """Draw an experiment's training times against the number of latents (SVG and PNG).

    Example: pdgmm step draw-cost --table table1.csv --title "What it costs" --out cost
    """
    from pdgmm.steps.draw_costs import draw_cost_table

    draw_cost_table(table, title, out)


@step.command()
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Path of the summary, no ending.")
@click.argument("tables", nargs=-1, required=True, type=click.Path(path_type=Path))
def summarise(out: Path, tables: tuple[Path, ...]) -> None:
    """Count how the CSV tables of experiments agree with the paper (CSV, Markdown, HTML).

    Example: pdgmm step summarise --out summary table1.csv table2.csv
    """
    from pdgmm.steps.summarise import summarise_tables

    summarise_tables(list(tables), out)


@step.command("draw-heatmaps")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Path of the figure, no ending.")
@click.argument("scores", nargs=-1, required=True, type=click.Path(path_type=Path))
def draw_heatmaps(out: Path, scores: tuple[Path, ...]) -> None:
    """Draw the heatmaps of one or more scores.json side by side (SVG and PNG).

    Example: pdgmm step draw-heatmaps --out heatmaps one/scores.json other/scores.json
    """
    from pdgmm.steps.draw_heatmaps import draw_scores

    draw_scores(list(scores), out)


@step.command("draw-balls")
@click.option("--images", type=click.Path(path_type=Path), required=True, help="HDF5 dataset of images.")
@click.option("--features", type=click.Path(path_type=Path), required=True, help="Folder of the network.")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Path of the figures, no ending.")
@click.argument("scores", nargs=-1, required=True, type=click.Path(path_type=Path))
def draw_balls(images: Path, features: Path, out: Path, scores: tuple[Path, ...]) -> None:
    """Draw images, positions and traversals of balls for one or more scores.json (SVG and PNG).

    Example: pdgmm step draw-balls --images images.h5 --features cnn/ --out balls both/scores.json
    """
    from pdgmm.steps.draw_balls import draw_balls

    draw_balls(images, features, list(scores), out)


@step.command("draw-supports")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Path of the figure, no ending.")
def draw_supports(out: Path) -> None:
    """Draw an example of what is recovered: two supports, and what the mixing makes of them (SVG and PNG).

    Example: pdgmm step draw-supports --out supports
    """
    from pdgmm.steps.draw_supports import draw_example_supports

    draw_example_supports(out)


@step.command("discover-graph")
@DATASET
@click.option(
    "--latents", type=click.Path(path_type=Path), help="latents.h5 of a method; without it, the true latents."
)
@click.option("--method", required=True, help="Name of the method that finds the graph.")
@click.option("--settings", default="{}", show_default=True, help="Its settings as JSON.")
@OUT_FILE
def discover_graph(dataset: Path, latents: Path | None, method: str, settings: str, out: Path) -> None:
    """Find the causal graph among learned or true latents.

    Example: pdgmm step discover-graph --dataset data.h5 --latents both/latents.h5 --method pc --out graph.json
    """
    from pdgmm.steps.discover_graph import discover_graph

    discover_graph(dataset, latents, method, settings, out)


@step.command("score-graph")
@DATASET
@click.option("--learned", type=click.Path(path_type=Path), required=True, help="Graph of learned latents.")
@click.option(
    "--true-latents", type=click.Path(path_type=Path), required=True, help="Graph of the true ones."
)
@click.option("--label", required=True, help="JSON with `method` and `size`, the words for the tables.")
@OUT_FILE
def score_graph(dataset: Path, learned: Path, true_latents: Path, label: str, out: Path) -> None:
    """Score the graphs of learned and of true latents against the true one.

    \b
    Example: pdgmm step score-graph --dataset data.h5 --learned graph.json --true-latents true_graph.json \\
                 --label '{"method": "identity+fastica", "size": ""}' --out graph_scores.json
    """
    from pdgmm.steps.score_graph import score_graph

    score_graph(dataset, learned, true_latents, label, out)


@step.command("draw-graphs")
@click.option("--name", required=True, help="Name of the method that found the graphs.")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Path of the figure, no ending.")
@click.argument("scores", nargs=-1, required=True, type=click.Path(path_type=Path))
def draw_graphs(name: str, out: Path, scores: tuple[Path, ...]) -> None:
    """Draw the true graph beside those in one or more graph_scores.json (SVG and PNG).

    Example: pdgmm step draw-graphs --name pc --out graphs both/graph_scores.json
    """
    from pdgmm.steps.draw_graphs import draw_graph_scores

    draw_graph_scores(list(scores), name, out)
