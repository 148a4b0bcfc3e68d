"""What the rules share, and the only Python beside them: the checked study and look-ups in it."""

import sys
from pathlib import Path

# The package beside this workflow is the one that runs, installed or not.
SOURCE = Path(workflow.basedir) / "src"
sys.path.insert(0, str(SOURCE))

from snakemake.exceptions import WorkflowError

from pdgmm.code_files import code_files
from pdgmm.data import GENERATORS
from pdgmm.errors import UserError
from pdgmm.stages import STAGE1, STAGE2
from pdgmm.stale_lock import remove_stale_lock
from pdgmm.study import Study, plan_study
from pdgmm.workflow_environment import prepare_environment

try:
    STUDY = plan_study(config)
except UserError as error:
    raise WorkflowError(str(error))

prepare_environment(SOURCE, STUDY.config.device, STUDY.config.track_code)

if workflow.is_main_process and not workflow.dryrun:
    remove_stale_lock(Path.cwd())


def results_of(run: tuple[str, int, str], file: str) -> str:
    """The path of a file of a run (dataset, seed, method)."""
    dataset, seed, method = run
    return f"results/{dataset}/seed-{seed}/{method}/{file}"


def scores_of(experiment: str) -> list[str]:
    """The scores of every run of an experiment."""
    return [results_of(run, "scores.json") for run in STUDY.experiments[experiment].runs()]


def heatmap_inputs(experiment: str, dataset: str) -> list[str]:
    """The scores of every method on a dataset, for the experiment's first seed."""
    settings = STUDY.experiments[experiment].settings
    return [results_of((dataset, settings.seeds[0], method), "scores.json") for method in settings.methods]


def all_results(study: Study) -> list[str]:
    """Every file the study promises."""
    files = []
    for name, experiment in study.experiments.items():
        files += [f"results/tables/{name}.{ending}" for ending in ("csv", "md", "tex", "html")]
        if experiment.settings.heatmaps:
            names = [dataset.name for dataset in experiment.datasets]
            files += [f"results/figures/{name}/{dataset}.{e}" for dataset in names for e in ("svg", "png")]
    return files


def code_of(*modules: str) -> list[str]:
    """The source files behind modules of the package, relative to the working directory where they are in it."""
    here = Path.cwd()
    files = code_files(*modules)
    return [str(file.relative_to(here) if file.is_relative_to(here) else file) for file in files]


def module_of(catalogue: dict[str, str], method: str) -> str:
    """The module of a catalogued class."""
    return catalogue[method].split(":")[0]


def generator_code(wildcards) -> list[str]:
    """Code that a dataset depends on."""
    generator = STUDY.datasets[wildcards.dataset].generator
    return code_of("pdgmm.steps.generate", module_of(GENERATORS, generator))


def stage1_code(wildcards) -> list[str]:
    """Code that a fitted stage 1 depends on."""
    return code_of("pdgmm.steps.train", module_of(STAGE1, STUDY.stage1[wildcards.stage1].method))


def stage2_code(wildcards) -> list[str]:
    """Code that a fitted stage 2 depends on."""
    return code_of("pdgmm.steps.train", module_of(STAGE2, STUDY.stage2[wildcards.stage2].method))


def tracked(code):
    """Code as an input whose change re-runs the rule, unless `track_code: false` freezes it."""
    return code if STUDY.config.track_code else ancient(code)


wildcard_constraints:
    dataset=r"[A-Za-z][A-Za-z0-9_.]*-[0-9a-f]{8}",
    seed=r"\d+",
    stage1=r"[A-Za-z][A-Za-z0-9_]*",
    stage2=r"[A-Za-z][A-Za-z0-9_]*",
    experiment=r"[A-Za-z][A-Za-z0-9_]*",
