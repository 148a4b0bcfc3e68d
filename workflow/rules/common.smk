"""What the rules share, and the only Python beside them: the checked study and look-ups in it."""

import sys
from pathlib import Path

# The package beside this workflow is the one that runs, installed or not.
SOURCE = Path(workflow.basedir) / "src"
sys.path.insert(0, str(SOURCE))

import snakemake.common
import snakemake.rules
from snakemake.exceptions import WorkflowError

from pdgmm.catalogue import module_of
from pdgmm.code_files import code_stamp
from pdgmm.config import INCLUDE, merge, read_config
from pdgmm.data import GENERATORS
from pdgmm.errors import UserError
from pdgmm.features import FEATURES
from pdgmm.evaluation.graphs import GRAPHS
from pdgmm.idle_scheduler import set_timers_only_at_the_limit
from pdgmm.known_parameters import remember_parameters
from pdgmm.small_steps.starting import is_of_several_steps, serve_small_steps
from pdgmm.stages import STAGE1, STAGE2
from pdgmm.stale_lock import keep_lock, remove_stale_lock
from pdgmm.settings import canonical_json
from pdgmm.planning import plan_study
from pdgmm.study import SUMMARY, Dataset, split_method
from pdgmm.workflow_environment import prepare_environment

try:
    # Snakemake has merged the config files and knows no `include`: put what they include under the merged config.
    given = {key: value for key, value in config.items() if key != INCLUDE}
    config.clear()
    config.update(merge(read_config([Path(file) for file in workflow.configfiles]), given))
    STUDY = plan_study(config)
except UserError as error:
    raise WorkflowError(str(error))

remember_parameters(snakemake.common, snakemake.rules)
prepare_environment(SOURCE, STUDY.config.device, STUDY.config.track_code)

if workflow.is_main_process:
    remove_stale_lock(Path.cwd())
elif workflow.remote_exec and is_of_several_steps(sys.argv[1:]):
    # Nodes call no hooks, and while the workflow is read Snakemake itself cannot say yet what this node is to do.
    serve_small_steps(not workflow.deployment_settings.deployment_method)


def results_of(run: tuple[str, int, str], file: str) -> str:
    """The path of a file of a run (dataset, seed, method)."""
    dataset, seed, method = run
    return f"results/{dataset}/seed-{seed}/{method}/{file}"


def scores_of(experiment: str) -> list[str]:
    """The scores of every run of an experiment."""
    return [results_of(run, "scores.json") for run in STUDY.experiments[experiment].runs()]


def heatmap_inputs(experiment: str, dataset: str) -> list[str]:
    """The scores of every method on a dataset, for the experiment's first seed."""
    planned = STUDY.experiments[experiment]
    first = planned.settings.seeds[0]
    return [results_of((dataset, first, method.name), "scores.json") for method in planned.methods]


def models_of(experiment: str) -> list[str]:
    """The descriptions of every fit of an experiment that tabulates training times."""
    planned = STUDY.experiments[experiment]
    fits = [
        (dataset, seed, part)
        for dataset, seed, method in planned.runs()
        for part in (split_method(method)[0], method)
    ]
    return list(dict.fromkeys(results_of(fit, "model.json") for fit in fits)) if planned.settings.cost else []


def own_file_of(dataset: str) -> list[str]:
    """The user's own file behind a dataset, where there is one."""
    path = STUDY.datasets[dataset].own_file
    return [path] if path else []


def latents_compared(experiment: str) -> list[str]:
    """The latents that a table compares with each other: those of an experiment without truth."""
    planned = STUDY.experiments[experiment]
    own = any(dataset.own_file for dataset in planned.datasets)
    return [results_of(run, "latents.h5") for run in planned.runs()] if own else []


def graph_scores_of(experiment: str) -> list[str]:
    """The scores of every graph of an experiment."""
    planned = STUDY.experiments[experiment]
    files = [f"graph_scores-{graph}.json" for graph in planned.settings.graphs]
    return [results_of(run, file) for run in planned.runs() for file in files]


def graph_figure_inputs(experiment: str, dataset: str, graph: str) -> list[str]:
    """The scores of every method's graph on a dataset, for the experiment's first seed."""
    planned = STUDY.experiments[experiment]
    first, file = planned.settings.seeds[0], f"graph_scores-{graph}.json"
    return [results_of((dataset, first, method.name), file) for method in planned.methods]


def models_drawn(experiment: str, dataset: str) -> list[str]:
    """What pictures of a dataset take from every method, for the experiment's first seed: latents and both models."""
    planned = STUDY.experiments[experiment]
    first = planned.settings.seeds[0]
    stages = dict.fromkeys(
        part for method in planned.methods for part in (split_method(method.name)[0], method.name)
    )
    files = [
        results_of((dataset, first, stage), file)
        for stage in stages
        for file in ("model.safetensors", "model.json")
    ]
    return files + [results_of((dataset, first, method.name), "latents.h5") for method in planned.methods]


def first_seed_file(experiment: str, pattern: str, images: str) -> str:
    """A file of the experiment's first seed."""
    return pattern.format(images=images, seed=STUDY.experiments[experiment].settings.seeds[0])


def all_results() -> list[str]:
    """Every file the study promises, but for experiments on images: those have a target of their own."""
    files = [f"results/figures/pdgmm_supports.{ending}" for ending in ("svg", "png")]
    files += [f"results/tables/{SUMMARY}.{ending}" for ending in ("csv", "md", "html")]
    return files + results_of_experiments(WITHOUT_IMAGES)


def results_of_experiment(name: str, wildcards) -> list[str]:
    """Every file that one experiment promises; asked for only if the rule is, so that planning others stays fast."""
    return results_of_experiments([name])


def results_of_experiments(chosen: list[str]) -> list[str]:
    """Every file that experiments promise."""
    files = []
    for name in chosen:
        experiment = STUDY.experiments[name]
        files += [f"results/tables/{name}.{ending}" for ending in ("csv", "md", "tex", "html")]
        if experiment.draws_costs:
            files += [f"results/figures/{name}/cost.{ending}" for ending in ("svg", "png")]
        if experiment.draws_heatmaps:
            names = [dataset.name for dataset in experiment.datasets]
            files += [f"results/figures/{name}/{dataset}.{e}" for dataset in names for e in ("svg", "png")]
        files += [
            f"results/figures/{name}/{dataset.name}-graphs-{graph}.{ending}"
            for dataset in experiment.datasets
            for graph in experiment.settings.graphs
            for ending in ("svg", "png")
        ]
        files += [
            f"results/figures/{name}/{dataset.name}-{kind}.{ending}"
            for dataset in experiment.datasets
            if dataset.images
            for kind in BALL_FIGURES
            for ending in ("svg", "png")
        ]
    runs = dict.fromkeys(run for name in chosen for run in STUDY.experiments[name].runs())
    # Also what tables are made of: a run that failed has removed it, and finished tables would not ask for it.
    kept = ("scores.json", "latents.h5", "model.safetensors", "model.json")
    files += [results_of(run, file) for run in runs for file in kept]
    return files


def code_of(*modules: str) -> str:
    """A file that changes when the code behind modules of the package does.

    It is local: each process that reads the workflow writes its own, a bucket for data has none.
    """
    return local(str(code_stamp(Path(".snakemake") / "pdgmm_code", *modules)))


# Written before Snakemake looks for input files: it remembers which ones it did not find.
WITHOUT_IMAGES = [name for name, planned in STUDY.experiments.items() if not planned.on_images]
BALL_FIGURES = ("images", "positions", "traversals")
IMAGES = {dataset.images: dataset for dataset in STUDY.datasets.values() if dataset.images}
GENERATOR_CODE = {name: code_of("pdgmm.steps.generate", module_of(GENERATORS, name)) for name in GENERATORS}
FEATURES_CODE = {name: code_of("pdgmm.steps.train", module_of(FEATURES, name)) for name in FEATURES}
STAGE1_CODE = {name: code_of("pdgmm.steps.train", module_of(STAGE1, name)) for name in STAGE1}
STAGE2_CODE = {name: code_of("pdgmm.steps.train", module_of(STAGE2, name)) for name in STAGE2}
GRAPH_CODE = {name: code_of("pdgmm.steps.discover_graph", module_of(GRAPHS, name)) for name in GRAPHS}


def generator_code(wildcards) -> str:
    """Code that a dataset depends on."""
    return GENERATOR_CODE[STUDY.datasets[wildcards.dataset].generator]


def images_dataset(images: str) -> Dataset:
    """A dataset of features of some images."""
    return IMAGES[images]


def image_settings(images: str) -> str:
    """The settings of images as JSON: what is made of them later is left out."""
    return canonical_json(images_dataset(images).settings.model_dump(mode="json", exclude={"features"}))


def image_code(wildcards) -> str:
    """Code that images depend on."""
    return GENERATOR_CODE[images_dataset(wildcards.images).generator]


def features_code(wildcards) -> str:
    """Code that a network that reads images depends on."""
    return FEATURES_CODE[STUDY.features[wildcards.features].method]


def stage1_code(wildcards) -> str:
    """Code that a fitted stage 1 depends on."""
    return STAGE1_CODE[STUDY.stage1[wildcards.stage1].method]


def stage2_code(wildcards) -> str:
    """Code that a fitted stage 2 depends on."""
    return STAGE2_CODE[STUDY.stage2[wildcards.stage2].method]


def graph_code(wildcards) -> str:
    """Code that a found graph depends on."""
    return GRAPH_CODE[STUDY.graphs[wildcards.graph].method]


def tracked(code):
    """Code as an input whose change re-runs the rule, unless `track_code: false` freezes it."""
    return code if STUDY.config.track_code else ancient(code)


wildcard_constraints:
    # Features of images have the name of the images, and their own: balls-1a2b3c4d@keypoints.
    dataset=r"[A-Za-z][A-Za-z0-9_.]*-[0-9a-f]{8}(@[A-Za-z][A-Za-z0-9_]*)?",
    images=r"[A-Za-z][A-Za-z0-9_.]*-[0-9a-f]{8}",
    features=r"[A-Za-z][A-Za-z0-9_]*",
    seed=r"\d+",
    # A stage with a swept setting has its value in its name: lagrangian_sparsity1e-05.
    stage1=r"[A-Za-z][A-Za-z0-9_.-]*",
    stage2=r"[A-Za-z][A-Za-z0-9_.-]*",
    graph=r"[A-Za-z][A-Za-z0-9_]*",
    experiment=rf"(?!{SUMMARY}\b)[A-Za-z][A-Za-z0-9_]*",
