"""The pdgmm workflow: datasets, trainings, codes, scores, tables and figures of a study.

Run the default study:  snakemake --cores 2
Plan another study:     snakemake --cores 2 --configfile config/paper.yaml -n
Read about it:          README.md, config/README.md
"""


include: "workflow/Snakefile"


# Snakemake ignores the default target of an included file, so it is set here.
workflow.default_target = "all"
