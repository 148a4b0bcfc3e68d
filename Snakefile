"""The pdgmm workflow: datasets, trainings, codes, scores, tables and figures of a study.

Run it:         snakemake --cores 2
Plan another:   snakemake --cores 2 --configfile config/paper.yaml -n
Read about it:  README.md, config/README.md
"""


include: "workflow/Snakefile"


# Snakemake takes no default target from a file that is included.
workflow.default_target = "all"
