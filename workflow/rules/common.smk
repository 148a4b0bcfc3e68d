"""Python that the rules share: the checked study, and functions that look things up in it."""

import sys
from importlib.util import find_spec
from pathlib import Path

from snakemake.exceptions import WorkflowError

# In the repository, always run the package beside this workflow, even if another version is installed.
if (PROJECT / "src").is_dir():
    sys.path.insert(0, str(PROJECT / "src"))
    imported = getattr(sys.modules.get("pdgmm"), "__file__", None)
    if imported and not Path(imported).is_relative_to(PROJECT):
        # Snakemake imports all logger plugins when it starts; one of another installation imports that installation's
        # package, which must be forgotten.
        for name in [name for name in sys.modules if name.partition(".")[0] == "pdgmm"]:
            del sys.modules[name]
if find_spec("pdgmm") is None:
    raise WorkflowError(
        "The Python package pdgmm is not installed where Snakemake runs: install it with pip first"
    )

from pdgmm.catalogue import JOINT, module_of, prefixes
from pdgmm.workflow_support.code_tracking import code_stamp
from pdgmm.data import GENERATORS
from pdgmm.errors import UserError
from pdgmm.evaluation import METRICS
from pdgmm.evaluation.graphs import GRAPHS
from pdgmm.methods import METHODS
from pdgmm.settings import canonical_json
from pdgmm.workflow_support.stale_lock import keep_lock, remove_stale_lock
from pdgmm.store.atomic import write_if_changed
from pdgmm.study.config import INCLUDE, merge, read_config
from pdgmm.study.planning import plan_study
from pdgmm.study.study import SUMMARY
from pdgmm.workflow_support.environment import importable_from, prepare_environment

# As a module of another workflow, this one gets all or part of that workflow's config, not files of its own.
outer = workflow.modifier.parent_modifier
if outer is None or config is outer.globals["config"]:
    config_files = workflow.configfiles
else:
    config_files = [config[INCLUDE]] if INCLUDE in config else []

try:
    # Snakemake has merged the config files but ignores `include`: merge the included files in, below the given ones.
    given = {key: value for key, value in config.items() if key != INCLUDE}
    config.clear()
    config.update(merge(read_config([Path(file) for file in config_files]), given))
    STUDY = plan_study(config)
except UserError as error:
    raise WorkflowError(str(error))

prepare_environment(
    importable_from(Path(".snakemake") / "pdgmm_package"), STUDY.config.device, STUDY.config.track_code
)

if workflow.is_main_process:
    # At once and not by `onstart`, which Snakemake does not call for a module.
    remove_stale_lock(Path.cwd())
    keep_lock(Path.cwd())


def results_of(run: tuple[str, int, str], file: str) -> str:
    """The path of a result file of a run (dataset, seed, chain)."""
    dataset, seed, chain = run
    return f"results/{dataset}/seed-{seed}/{chain}/{file}"


def of_every_run(experiment: str, *files: str) -> list[str]:
    """These files for every run of an experiment."""
    return [results_of(run, file) for run in STUDY.experiments[experiment].runs() for file in files]


def first_seed(experiment: str) -> int:
    """The seed whose results figures show."""
    return STUDY.experiments[experiment].settings.seeds[0]


def of_first_seed(experiment: str, dataset: str, file: str) -> list[str]:
    """This file for every chain on a dataset and the experiment's first seed."""
    chains = STUDY.experiments[experiment].chains
    return [results_of((dataset, first_seed(experiment), chain.name), file) for chain in chains]


def models_of(experiment: str) -> list[str]:
    """The description files of all fits of an experiment, if it tabulates training times (`cost`)."""
    planned = STUDY.experiments[experiment]
    fits = [(dataset, seed, part) for dataset, seed, chain in planned.runs() for part in prefixes(chain)]
    return list(dict.fromkeys(results_of(fit, "model.json") for fit in fits)) if planned.settings.cost else []


def own_file_of(dataset: str) -> list[str]:
    """The user's own file that a dataset is read from, if there is one."""
    path = STUDY.datasets[dataset].own_file
    return [path] if path else []


def codes_before(wildcards, file: str) -> list[str]:
    """The codes that the last part of a chain reads: those of the part before it, if there is one."""
    before = wildcards.chain.rpartition(JOINT)[0]
    return [results_of((wildcards.dataset, wildcards.seed, before), file)] if before else []


def before_option(input) -> str:
    """The command's option for :func:`codes_before`."""
    return f"--before '{input.before}'" if input.before else ""


def latents_compared(experiment: str) -> list[str]:
    """The latents that a table compares between seeds: if there is no truth, or if the experiment asks for it."""
    planned = STUDY.experiments[experiment]
    compared = planned.settings.between_fits or not all(dataset.has_latents for dataset in planned.datasets)
    return of_every_run(experiment, "latents.h5") if compared else []


def graph_scores_of(experiment: str) -> list[str]:
    """The scores of every graph of an experiment."""
    graphs = STUDY.experiments[experiment].settings.graphs
    return of_every_run(experiment, *(f"graph_scores-{graph}.json" for graph in graphs))


def codes_drawn(experiment: str, dataset: str) -> list[str]:
    """The latents that are drawn side by side: those of every chain for the first seeds."""
    planned = STUDY.experiments[experiment]
    seeds = planned.settings.seeds[:CODES_DRAWN]
    return [
        results_of((dataset, seed, chain.name), "latents.h5") for chain in planned.chains for seed in seeds
    ]


def parts_drawn(experiment: str, dataset: str, chain: str) -> list[str]:
    """The models of all parts of a chain, for the experiment's first seed."""
    runs = [(dataset, first_seed(experiment), part) for part in prefixes(chain)]
    return [results_of(run, file) for run in runs for file in ("model.safetensors", "model.json")]


def chains_drawn(experiment: str, reader: str) -> list[str]:
    """The chains of an experiment on images whose first part is ``reader``."""
    chains = STUDY.experiments[experiment].chains
    return [chain.name for chain in chains if chain.reader and chain.reader.name == reader]


def scores_drawn(experiment: str, dataset: str, reader: str) -> list[str]:
    """The scores of the chains that the figures of images show, for the experiment's first seed."""
    seed = first_seed(experiment)
    return [results_of((dataset, seed, chain), "scores.json") for chain in chains_drawn(experiment, reader)]


def models_drawn(experiment: str, dataset: str, reader: str) -> list[str]:
    """What the figures of images also need from these chains: the models of all parts, and the latents."""
    chains, seed = chains_drawn(experiment, reader), first_seed(experiment)
    parts = dict.fromkeys(part for chain in chains for part in prefixes(chain))
    models = ("model.safetensors", "model.json")
    files = [results_of((dataset, seed, part), file) for part in parts for file in models]
    return files + [results_of((dataset, seed, chain), "latents.h5") for chain in chains]


def table_plan(experiment: str) -> str:
    """A file that describes an experiment's table; rewritten only if its content changes."""
    path = Path(".snakemake") / "pdgmm_plans" / f"{experiment}.json"
    write_if_changed(path, canonical_json(STUDY.experiments[experiment].table_plan()))
    return local(str(path))


def all_results() -> list[str]:
    """All result files of the study, except experiments on images: those have their own target (`balls`)."""
    files = [f"results/figures/pdgmm_supports.{ending}" for ending in ("svg", "png")]
    files += [f"results/tables/{SUMMARY}.{ending}" for ending in ("csv", "md", "html")]
    files += [file for toy in STUDY.config.toys for file in results_of_toy(toy)]
    return files + results_of_experiments(WITHOUT_IMAGES)


def results_of_toy(name: str) -> list[str]:
    """All result files of a toy."""
    return [f"results/toys/{name}.{ending}" for ending in ("csv", "md", "svg", "png")]


def toy_settings(name: str) -> str:
    """The grids of a toy, as JSON."""
    return canonical_json([toy.model_dump(mode="json") for toy in STUDY.config.toys[name]])


def results_of_experiment(name: str, wildcards) -> list[str]:
    """All result files of one experiment; computed only if its rule is asked for, so that planning stays fast."""
    return results_of_experiments([name])


def results_of_experiments(chosen: list[str]) -> list[str]:
    """All result files of the chosen experiments."""
    files = []
    for name in chosen:
        experiment = STUDY.experiments[name]
        files += [f"results/tables/{name}.{ending}" for ending in ("csv", "md", "tex", "html")]
        if experiment.draws_costs:
            files += [f"results/figures/{name}/cost.{ending}" for ending in ("svg", "png")]
        if experiment.settings.curves:
            files += [f"results/figures/{name}/curves.{ending}" for ending in ("svg", "png")]
        if experiment.draws_heatmaps:
            names = [dataset.name for dataset in experiment.datasets]
            files += [f"results/figures/{name}/{dataset}.{e}" for dataset in names for e in ("svg", "png")]
        if experiment.settings.between_fits:
            names = [f"results/figures/{name}/{dataset.name}-codes" for dataset in experiment.datasets]
            files += [f"{stem}.{ending}" for stem in names for ending in ("svg", "png")]
        if experiment.settings.traversals:
            names = [dataset.name for dataset in experiment.datasets]
            stems = [f"{dataset}-{chain.name}-strips" for dataset in names for chain in experiment.chains]
            files += [
                f"results/figures/{name}/{stem}.{ending}" for stem in stems for ending in ("svg", "png")
            ]
        files += [
            f"results/figures/{name}/{dataset.name}-{chain}-components.{ending}"
            for dataset in experiment.datasets
            for chain in experiment.settings.mixture_images
            for ending in ("svg", "png")
        ]
        files += [
            f"results/figures/{name}/{dataset.name}-graphs-{graph}.{ending}"
            for dataset in experiment.datasets
            for graph in experiment.settings.graphs
            for ending in ("svg", "png")
        ]
        files += [
            f"results/figures/{name}/{dataset.name}-{reader}-{kind}.{ending}"
            for dataset in experiment.datasets
            for reader in experiment.readers
            for kind in BALL_FIGURES
            for ending in ("svg", "png")
        ]
    runs = dict.fromkeys(run for name in chosen for run in STUDY.experiments[name].runs())
    # Also the files that tables are made from: Snakemake removes them if their job fails, and a table that is
    # already finished would not ask for them again.
    kept = ("scores.json", "latents.h5", "model.safetensors", "model.json")
    files += [results_of(run, file) for run in runs for file in kept]
    return files


def code_of(*modules: str) -> str:
    """A file that changes when the code of these modules, or of what they import, changes.

    It is always a local file: every process that reads the workflow writes it, and remote storage does not hold it.
    """
    return local(str(code_stamp(Path(".snakemake") / "pdgmm_code", *modules)))


# The code stamps are written here, before Snakemake looks for input files: it remembers files that it did not find.
WITHOUT_IMAGES = [name for name, planned in STUDY.experiments.items() if not planned.on_images]
CODES_DRAWN = 5
BALL_FIGURES = ("images", "positions", "traversals")
GENERATOR_CODE = {name: code_of("pdgmm.steps.generate", module_of(GENERATORS, name)) for name in GENERATORS}
METHOD_CODE = {name: code_of("pdgmm.steps.train", module_of(METHODS, name)) for name in METHODS}
ENCODING_CODE = {name: code_of("pdgmm.steps.encode", module_of(METHODS, name)) for name in METHODS}
STRIPS_CODE = {name: code_of("pdgmm.steps.draw_traversals", module_of(METHODS, name)) for name in METHODS}
COMPONENTS_CODE = {
    name: code_of("pdgmm.steps.draw_mixture_images", module_of(METHODS, name)) for name in METHODS
}
READER_CODE = {name: code_of("pdgmm.steps.draw_balls", module_of(METHODS, name)) for name in METHODS}
# Scores and tables take the metrics from their catalogue.
METRICS_CODE = [module_of(METRICS, name) for name in METRICS]
GRAPH_CODE = {name: code_of("pdgmm.steps.discover_graph", module_of(GRAPHS, name)) for name in GRAPHS}


def generator_code(wildcards) -> str:
    """Code that a dataset depends on."""
    return GENERATOR_CODE[STUDY.datasets[wildcards.dataset].generator]


def method_code(wildcards) -> str:
    """Code that a fit depends on."""
    return METHOD_CODE[STUDY.methods[wildcards.part].method]


def encoding_code(wildcards) -> str:
    """Code that encoded samples depend on."""
    return ENCODING_CODE[STUDY.last_part(wildcards.chain).method]


def strips_code(wildcards) -> str:
    """Code that a figure of traversals depends on."""
    return STRIPS_CODE[STUDY.last_part(wildcards.chain).method]


def components_code(wildcards) -> str:
    """Code that a figure of a mixture's components depends on."""
    return COMPONENTS_CODE[STUDY.last_part(wildcards.chain).method]


def reader_code(wildcards) -> str:
    """Code that figures of images depend on."""
    return READER_CODE[STUDY.methods[wildcards.reader].method]


def graph_code(wildcards) -> str:
    """Code that a found graph depends on."""
    return GRAPH_CODE[STUDY.graphs[wildcards.graph].method]


def long_fits_first(wildcards) -> float:
    """The priority of a fit: from 0 to 1, and higher the more steps it trains for.

    So no core waits in the end for a long fit that began last. Encoding and scores have the priority 1: what is fitted
    is scored at once.
    """
    steps = getattr(STUDY.methods[wildcards.part].settings, "steps", None) or 0
    return steps / (1 + steps)


def tracked(code):
    """Code as an input whose change re-runs the rule, unless `track_code: false` freezes it."""
    return code if STUDY.config.track_code else ancient(code)


wildcard_constraints:
    dataset=r"[A-Za-z][A-Za-z0-9_.]*-[0-9a-f]{8}",
    seed=r"\d+",
    # A method with a swept setting has its value in its name: lagrangian_sparsity1e-05.
    part=r"[A-Za-z][A-Za-z0-9_.-]*",
    before=r"[A-Za-z][A-Za-z0-9_.+-]*",
    chain=r"[A-Za-z][A-Za-z0-9_.+-]*",
    reader=r"[A-Za-z][A-Za-z0-9_.-]*",
    graph=r"[A-Za-z][A-Za-z0-9_]*",
    toy=r"[A-Za-z][A-Za-z0-9_]*",
    experiment=rf"(?!{SUMMARY}\b)[A-Za-z][A-Za-z0-9_]*",
