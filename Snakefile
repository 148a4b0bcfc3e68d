"""The pdgmm workflow: datasets, trainings, codes, scores, tables and figures of a study.

Run the default study:  snakemake --cores 2
Plan another study:     snakemake --cores 2 --configfile config/paper.yaml -n
Read about it:          README.md, config/README.md
"""

from functools import partial
from pathlib import Path
from snakemake.utils import min_version

min_version("9.13")

# A config file given with --configfile replaces the default study; the two are not merged.
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
    """All results of the study, except experiments on images: tables, figures, toys and an illustration."""
    default_target: True
    input:
        all_results(),


for name in STUDY.experiments:

    rule:
        """Only one experiment, with its figures: `snakemake --cores 2 only_table1`."""
        name:
            f"only_{name}"
        input:
            partial(results_of_experiment, name),


for name in STUDY.config.toys:

    rule:
        """Only one toy: `snakemake --cores 2 only_mle_toy`."""
        name:
            f"only_{name}"
        input:
            results_of_toy(name),
