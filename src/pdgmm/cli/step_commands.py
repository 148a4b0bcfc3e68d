"""The commands ``pdgmm step …``: what the workflow's rules call, files in, files out.

The functions are imported when their command runs: the small steps must not wait for torch.
"""

import functools
import os
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from pdgmm.workflow_support.environment import reuse_freed_memory, thread_counts

Option = Callable[[Callable[..., None]], Callable[..., None]]

PATH = click.Path(path_type=Path)
path_option = functools.partial(click.option, type=PATH, required=True)

BEFORE = path_option("--before", help="Codes from the part before; if not given, the data.", required=False)
CODE = path_option("--code", help="Code of the training samples, from the part before.")
DATASET = path_option("--dataset", help="HDF5 dataset file.")
GENERATOR = click.option("--generator", required=True, help="Name of the generator.")
GENERATOR_SETTINGS = click.option("--settings", "settings_json", required=True, help="Its settings, as JSON.")
IMAGES = path_option("--images", help="HDF5 dataset of images.")
KEY = click.option("--key", required=True, help="Setting of the dataset that the experiment varies.")
LATENTS = path_option("--latents", help="latents.h5 of the method.")
LATENTS_OR_TRUE = path_option(
    "--latents", help="latents.h5 of a method; if not given, the true latents.", required=False
)
LEARNED_GRAPH = path_option("--learned", help="Graph found among learned latents.")
METHOD = click.option("--method", required=True, help="Name of the method.")
MODEL = path_option("--model", help="Folder of the fitted method.")
NAME = click.option("--name", required=True, help="Name of the method that found the graphs.")
PLAN = path_option("--plan", help="JSON file that lists what to gather.")
RESULTS = path_option("--results", help="Folder of the results.")
TABLE = path_option("--table", help="CSV table of the experiment.")
TOYS = click.option(
    "--settings", "settings_json", required=True, help="Settings of the toys, as a JSON list."
)
TITLE = click.option("--title", required=True, help="Heading of the figure.")
TRAINING = click.option("--training", is_flag=True, help="Encode the training samples instead of all others.")
TRUE_GRAPH = path_option("--true-latents", help="Graph found among the true latents.")
SEED = click.option("--seed", type=click.IntRange(min=0), required=True, help="Seed of the run.")
SETTINGS = click.option(
    "--settings", "settings_json", default="{}", show_default=True, help="Its settings, as JSON."
)
LABEL = click.option(
    "--label", "label_json", required=True, help="JSON with `method` and `size`, as tables show them."
)
OUT_FILE = path_option("--out", help="File to write.")
OUT_STEM = path_option("--out", "stem", help="Path of the files to write, without their endings.")
SCORES = click.argument("scores", nargs=-1, required=True, type=PATH)
CODES = click.argument("latents", nargs=-1, required=True, type=PATH)
NAMES = click.argument("names", nargs=-1, required=True)
TABLES = click.argument("tables", nargs=-1, required=True, type=PATH)
FIT_OPTIONS = (
    DATASET,
    SEED,
    path_option("--out", help="Folder to write to."),
    METHOD,
    SETTINGS,
    click.option(
        "--device", default="auto", envvar="PDGMM_DEVICE", show_default=True, help="auto, cpu, cuda or mps."
    ),
    click.option(
        "--track-code",
        type=bool,
        default=True,
        envvar="PDGMM_TRACK_CODE",
        show_default=True,
        help="Ignore a checkpoint that was made by other code.",
    ),
)


@click.group()
@click.option("--threads", type=click.IntRange(min=1), default=1, show_default=True, help="CPU threads.")
@click.pass_context
def step(context: click.Context, threads: int) -> None:
    """Run one step of the workflow: read files, write files.

    Snakemake calls these commands.

    Example: pdgmm step --threads 2 train-stage1 --method flow --dataset data.h5 --seed 0 --out flow/
    """
    # Before NumPy and torch are imported: they read these once, when they start their thread pools.
    os.environ.update(thread_counts(threads))
    reuse_freed_memory()
    context.obj = threads


def calls(target: str, *options: Option) -> Callable[[Callable[[], None]], click.Command]:
    """Turn a function that has only a name and a docstring into a step that calls ``target`` with the ``options``.

    ``target`` is ``module:function`` under :mod:`pdgmm.steps`, and the options have the names of its arguments; those
    on how a fit is carried out become one.
    """
    module, function = target.split(":")

    def command(described: Callable[[], None]) -> click.Command:
        def run(**given: Any) -> None:
            steps = import_module(f"pdgmm.steps.{module}")
            if "device" in given:
                how = {"device": given.pop("device"), "track_code": given.pop("track_code")}
                threads = click.get_current_context().obj
                given["options"] = steps.FitOptions(**how, threads=threads, show_progress=sys.stderr.isatty())
            getattr(steps, function)(**given)

        for option in reversed(options):
            run = option(run)
        return step.command(described.__name__.replace("_", "-"), help=described.__doc__)(run)

    return command


@calls("generate:generate_dataset", GENERATOR, GENERATOR_SETTINGS, SEED, OUT_FILE)
def generate() -> None:
    """Draw a dataset.

    Example: pdgmm step generate --generator pdgmm --settings '{"n": 5}' --seed 0 --out data.h5
    """


@calls("train:train", *FIT_OPTIONS)
def train_stage1() -> None:
    """Fit a method to a dataset.

    Example: pdgmm step train-stage1 --method autoencoder --dataset data.h5 --seed 0 --out autoencoder/
    """


@calls("train:train", CODE, *FIT_OPTIONS)
def train_stage2() -> None:
    """Fit a method to the code that another method made.

    \b
    Example: pdgmm step train-stage2 --method fastica --code autoencoder/code.h5 \\
                 --dataset data.h5 --seed 0 --out autoencoder+fastica/
    """


@calls("encode:encode", DATASET, MODEL, BEFORE, TRAINING, OUT_FILE)
def encode() -> None:
    """Encode samples with a fitted method.

    Example: pdgmm step encode --model fastica/ --dataset data.h5 --out fastica/latents.h5
    """


@calls("score:score_run", DATASET, LATENTS, LABEL, OUT_FILE)
def score() -> None:
    """Score a method's latents against the truth.

    \b
    Example: pdgmm step score --dataset data.h5 --latents fastica/latents.h5 \\
                 --label '{"method": "fastica", "size": ""}' --out scores.json
    """


@calls("tabulate:tabulate", PLAN, RESULTS, OUT_STEM)
def tabulate() -> None:
    """Gather an experiment's scores into tables.

    Writes CSV, Markdown, LaTeX and HTML.

    Example: pdgmm step tabulate --plan table1.json --results results --out results/tables/table1
    """


@calls("draw_costs:draw_cost_table", TABLE, TITLE, OUT_STEM)
def draw_cost() -> None:
    """Draw training times against the number of latents.

    Writes SVG and PNG, as all steps that draw do.

    Example: pdgmm step draw-cost --table table1.csv --title "What it costs" --out cost
    """


@calls("draw_curves:draw_curve_table", TABLE, TITLE, KEY, OUT_STEM, NAMES)
def draw_curves() -> None:
    """Draw scores against the number that an experiment varies.

    NAMES are the names of the scores; each has a panel.

    Example: pdgmm step draw-curves --table table1.csv --title "MCC" --key n --out curves mcc r2
    """


@calls("summarise:summarise_tables", OUT_STEM, TABLES)
def summarise() -> None:
    """Count how tables of experiments agree with the paper.

    Reads CSV tables; writes CSV, Markdown, HTML and a picture (SVG).

    Example: pdgmm step summarise --out summary table1.csv table2.csv
    """


@calls("draw_heatmaps:draw_scores", OUT_STEM, SCORES)
def draw_heatmaps() -> None:
    """Draw heatmaps of one or more scores.json side by side.

    Example: pdgmm step draw-heatmaps --out heatmaps one/scores.json other/scores.json
    """


@calls("draw_balls:draw_balls", IMAGES, OUT_STEM, SCORES)
def draw_balls() -> None:
    """Draw images, positions and traversals of balls.

    All scores must come from chains that begin with the same network.

    Example: pdgmm step draw-balls --images images.h5 --out balls keypoints+spike_slab/scores.json
    """


@calls("draw_traversals:draw_strips", DATASET, LATENTS, OUT_STEM)
def draw_traversals() -> None:
    """Draw what moves in small images when one latent goes from low to high.

    The models of the chain's parts must be beside its latents.

    Example: pdgmm step draw-traversals --dataset digits.h5 --latents pca/latents.h5 --out traversals
    """


@calls("draw_mixture_images:draw_mixture_images", DATASET, LATENTS, OUT_STEM)
def draw_mixture_images() -> None:
    """Draw small images from every component of a fit's mixture.

    Beside them, held-out images of the component and their reconstructions. The models of the chain's parts must be
    beside its latents.

    Example: pdgmm step draw-mixture-images --dataset digits.h5 --latents mfcvae/latents.h5 --out components
    """


@calls("draw_supports:draw_example_supports", OUT_STEM)
def draw_supports() -> None:
    """Draw two example supports before and after the mixing.

    Example: pdgmm step draw-supports --out supports
    """


@calls("discover_graph:discover_graph", DATASET, LATENTS_OR_TRUE, METHOD, SETTINGS, OUT_FILE)
def discover_graph() -> None:
    """Find the causal graph among learned or true latents.

    Example: pdgmm step discover-graph --dataset data.h5 --latents fastica/latents.h5 --method pc --out graph.json
    """


@calls("score_graph:score_graph", DATASET, LEARNED_GRAPH, TRUE_GRAPH, LABEL, OUT_FILE)
def score_graph() -> None:
    """Score found graphs against the true graph.

    One was found among learned latents, one among true latents.

    \b
    Example: pdgmm step score-graph --dataset data.h5 --learned graph.json --true-latents true_graph.json \\
                 --label '{"method": "fastica", "size": ""}' --out graph_scores.json
    """


@calls("draw_graphs:draw_graph_scores", NAME, OUT_STEM, SCORES)
def draw_graphs() -> None:
    """Draw the true graph beside the graphs that were found.

    Example: pdgmm step draw-graphs --name pc --out graphs fastica/graph_scores.json
    """


@calls("search_likelihood:search_likelihood", TOYS, OUT_STEM)
def search_likelihood() -> None:
    """Find all models of a toy that fit as well as the truth.

    Writes CSV and Markdown.

    Example: pdgmm step search-likelihood --settings '[{"components": 2}]' --out mle_toy
    """


@calls("draw_likelihood:draw_likelihood", TOYS, OUT_STEM)
def draw_likelihood() -> None:
    """Draw a toy's exact likelihood along single parameters.

    Example: pdgmm step draw-likelihood --settings '[{"components": 2}]' --out mle_toy
    """


@calls("draw_codes:draw_codes", DATASET, OUT_STEM, CODES)
def draw_codes() -> None:
    """Draw the codes of several fits side by side.

    All fits must be to the same samples.

    Example: pdgmm step draw-codes --dataset data.h5 --out codes seed-0/vade/latents.h5 seed-1/vade/latents.h5
    """
