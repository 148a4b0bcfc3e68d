rule summarise:
    """Count, over all experiments, how many measured values agree with the published ones."""
    input:
        tables=[f"results/tables/{name}.csv" for name in WITHOUT_IMAGES],
        code=tracked(code_of("pdgmm.steps.summarise", *METRICS_CODE)),
    output:
        csv=f"results/tables/{SUMMARY}.csv",
        markdown=f"results/tables/{SUMMARY}.md",
        html=report(
            f"results/tables/{SUMMARY}.html",
            caption="../report/summary.rst",
            # The report sorts its categories by name: this one comes first.
            category="Agreement with the paper",
            labels={"table": "all experiments"},
        ),
        picture=report(
            f"results/tables/{SUMMARY}.svg",
            caption="../report/headline.rst",
            category="Agreement with the paper",
            labels={"table": "the first experiment, as a picture"},
        ),
    log:
        "results/logs/summarise.log",
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        stem=subpath(output.csv, strip_suffix=".csv"),
    shell:
        "python -m pdgmm step --threads {threads} summarise"
        " --out {params.stem:q} {input.tables:q} 2> {log:q}"


rule tabulate:
    """Gather an experiment's scores into tables, with the published values beside the measured ones."""
    input:
        scores=lambda w: of_every_run(w.experiment, "scores.json"),
        models=lambda w: models_of(w.experiment),
        graph_scores=lambda w: graph_scores_of(w.experiment),
        latents=lambda w: latents_compared(w.experiment),
        plan=lambda w: table_plan(w.experiment),
        code=tracked(code_of("pdgmm.steps.tabulate", *METRICS_CODE)),
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
        # Not always `results`: a storage provider puts files elsewhere.
        results=subpath(output.csv, ancestor=2),
        stem=subpath(output.csv, strip_suffix=".csv"),
    shell:
        "python -m pdgmm step --threads {threads} tabulate"
        " --plan {input.plan:q} --results {params.results:q} --out {params.stem:q} 2> {log:q}"


rule draw_heatmaps:
    """Draw |correlation| between true and learned latents, the methods of an experiment side by side."""
    input:
        scores=lambda w: of_first_seed(w.experiment, w.dataset, "scores.json"),
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


rule draw_cost:
    """Draw an experiment's training times against the number of latents, with the published times."""
    input:
        table="results/tables/{experiment}.csv",
        code=tracked(code_of("pdgmm.steps.draw_costs")),
    output:
        svg="results/figures/{experiment}/cost.svg",
        png=report(
            "results/figures/{experiment}/cost.png",
            caption="../report/cost.rst",
            category="Training times",
            labels={"experiment": "{experiment}"},
        ),
    log:
        "results/logs/draw_cost/{experiment}.log",
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        title=lambda w: STUDY.experiments[w.experiment].settings.title,
        stem=subpath(output.svg, strip_suffix=".svg"),
    shell:
        "python -m pdgmm step --threads {threads} draw-cost"
        " --table {input.table:q} --title {params.title:q} --out {params.stem:q} 2> {log:q}"


rule draw_curves:
    """Draw scores of an experiment against the number that it varies (`curves`)."""
    input:
        table="results/tables/{experiment}.csv",
        code=tracked(code_of("pdgmm.steps.draw_curves", *METRICS_CODE)),
    output:
        svg="results/figures/{experiment}/curves.svg",
        png=report(
            "results/figures/{experiment}/curves.png",
            caption="../report/curves.rst",
            category="Curves",
            labels={"experiment": "{experiment}"},
        ),
    log:
        "results/logs/draw_curves/{experiment}.log",
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        title=lambda w: STUDY.experiments[w.experiment].settings.title,
        key=lambda w: STUDY.experiments[w.experiment].curve_key,
        names=lambda w: STUDY.experiments[w.experiment].settings.curves,
        stem=subpath(output.svg, strip_suffix=".svg"),
    shell:
        "python -m pdgmm step --threads {threads} draw-curves"
        " --table {input.table:q} --title {params.title:q} --key {params.key:q} --out {params.stem:q}"
        " -- {params.names:q} 2> {log:q}"


rule draw_codes:
    """Draw the codes of every method's first fits on a dataset, for experiments that compare fits (`between_fits`)."""
    input:
        dataset=lambda w: f"datasets/{w.dataset}/seed-{first_seed(w.experiment)}.h5",
        latents=lambda w: codes_drawn(w.experiment, w.dataset),
        code=tracked(code_of("pdgmm.steps.draw_codes")),
    output:
        svg="results/figures/{experiment}/{dataset}-codes.svg",
        png=report(
            "results/figures/{experiment}/{dataset}-codes.png",
            caption="../report/codes.rst",
            category="Codes of several fits",
            subcategory="{experiment}",
            labels={"dataset": "{dataset}"},
        ),
    log:
        "results/logs/draw_codes/{experiment}/{dataset}.log",
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        stem=subpath(output.svg, strip_suffix=".svg"),
    shell:
        "python -m pdgmm step --threads {threads} draw-codes"
        " --dataset {input.dataset:q} --out {params.stem:q} {input.latents:q} 2> {log:q}"


rule draw_traversals:
    """Draw what moves in small images when one latent of a method goes from low to high, for the first seed."""
    input:
        dataset=lambda w: f"datasets/{w.dataset}/seed-{first_seed(w.experiment)}.h5",
        models=lambda w: parts_drawn(w.experiment, w.dataset, w.chain),
        latents=lambda w: results_of((w.dataset, first_seed(w.experiment), w.chain), "latents.h5"),
        code=tracked(strips_code),
    output:
        svg="results/figures/{experiment}/{dataset}-{chain}-strips.svg",
        png=report(
            "results/figures/{experiment}/{dataset}-{chain}-strips.png",
            caption="../report/traversals.rst",
            category="Traversals",
            subcategory="{experiment}",
            labels={"dataset": "{dataset}", "method": "{chain}"},
        ),
    log:
        "results/logs/draw_traversals/{experiment}/{dataset}-{chain}.log",
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        stem=subpath(output.svg, strip_suffix=".svg"),
    shell:
        "python -m pdgmm step --threads {threads} draw-traversals"
        " --dataset {input.dataset:q} --latents {input.latents:q} --out {params.stem:q} 2> {log:q}"


rule draw_mixture_images:
    """Draw small images from every component of a fit's mixture, and held-out ones with their reconstructions."""
    input:
        dataset=lambda w: f"datasets/{w.dataset}/seed-{first_seed(w.experiment)}.h5",
        models=lambda w: parts_drawn(w.experiment, w.dataset, w.chain),
        latents=lambda w: results_of((w.dataset, first_seed(w.experiment), w.chain), "latents.h5"),
        code=tracked(components_code),
    output:
        svg="results/figures/{experiment}/{dataset}-{chain}-components.svg",
        png=report(
            "results/figures/{experiment}/{dataset}-{chain}-components.png",
            caption="../report/mixture_images.rst",
            category="Components of mixtures",
            subcategory="{experiment}",
            labels={"dataset": "{dataset}", "method": "{chain}"},
        ),
    log:
        "results/logs/draw_mixture_images/{experiment}/{dataset}-{chain}.log",
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        stem=subpath(output.svg, strip_suffix=".svg"),
    shell:
        "python -m pdgmm step --threads {threads} draw-mixture-images"
        " --dataset {input.dataset:q} --latents {input.latents:q} --out {params.stem:q} 2> {log:q}"
