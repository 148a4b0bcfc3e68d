"""The pdgmm workflow: datasets, trainings, codes, scores, tables and figures of a study.

Run it:         snakemake --cores 2
Plan another:   snakemake --cores 2 --configfile config/paper.yaml -n
Read about it:  README.md, config/README.md
"""

from functools import partial
from pathlib import Path
from snakemake.utils import min_version

min_version("9.13")

# A config file given with --configfile stands alone; it is not merged into the default study.
if not {"experiments", "include"} & config.keys():

    configfile: str(Path(workflow.basedir) / "config" / "config.yaml")


report: "workflow/report/workflow.rst"


include: "workflow/rules/common.smk"
include: "workflow/rules/datasets.smk"
include: "workflow/rules/train.smk"
include: "workflow/rules/evaluate.smk"
include: "workflow/rules/graphs.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/balls.smk"
include: "workflow/rules/illustrate.smk"
include: "workflow/rules/toys.smk"


onstart:
    keep_lock(Path.cwd())


rule all:
    """Everything the study promises: every experiment's tables and heatmaps, and an illustration."""
    default_target: True
    input:
        all_results(),


for name in STUDY.experiments:

    rule:
        """One experiment alone, with its figures: `snakemake --cores 2 only_table1`."""
        name:
            f"only_{name}"
        input:
            partial(results_of_experiment, name),


for name in STUDY.config.toys:

    rule:
        """One toy alone: `snakemake --cores 2 only_mle_toy`."""
        name:
            f"only_{name}"
        input:
            results_of_toy(name),
