rule tabulate:
    """Gather an experiment's scores into tables, with the published values beside the measured ones."""
    input:
        scores=lambda w: scores_of(w.experiment),
        code=tracked(code_of("pdgmm.steps.tabulate")),
    output:
        csv="results/tables/{experiment}.csv",
        markdown="results/tables/{experiment}.md",
        latex="results/tables/{experiment}.tex",
        html=report(
            "results/tables/{experiment}.html",
            caption="../report/table.rst",
            category="Tables",
            labels={"experiment": "{experiment}"},
        ),
    log:
        "results/logs/tabulate/{experiment}.log",
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        experiment=lambda w: STUDY.table_request(w.experiment),
        stem=subpath(output.csv, strip_suffix=".csv"),
    shell:
        "python -m pdgmm step --threads {threads} tabulate"
        " --experiment {params.experiment:q} --results results --out {params.stem:q} 2> {log:q}"


rule draw_heatmaps:
    """Draw |correlation| between true and learned latents, the methods of an experiment side by side."""
    input:
        scores=lambda w: heatmap_inputs(w.experiment, w.dataset),
        code=tracked(code_of("pdgmm.steps.draw_heatmaps")),
    output:
        svg="results/figures/{experiment}/{dataset}.svg",
        png=report(
            "results/figures/{experiment}/{dataset}.png",
            caption="../report/heatmap.rst",
            category="Correlation heatmaps",
            subcategory="{experiment}",
            labels={"dataset": "{dataset}"},
        ),
    log:
        "results/logs/draw_heatmaps/{experiment}/{dataset}.log",
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        stem=subpath(output.svg, strip_suffix=".svg"),
    shell:
        "python -m pdgmm step --threads {threads} draw-heatmaps"
        " --out {params.stem:q} {input.scores:q} 2> {log:q}"
