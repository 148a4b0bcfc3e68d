rule discover_graph:
    """Find the causal graph among a method's latents, matched to the true ones, on samples with every latent active."""
    input:
        dataset="datasets/{dataset}/seed-{seed}.h5",
        latents="results/{dataset}/seed-{seed}/{chain}/latents.h5",
        code=tracked(graph_code),
    output:
        "results/{dataset}/seed-{seed}/{chain}/graph-{graph}.json",
    log:
        "results/logs/discover_graph/{dataset}/seed-{seed}/{chain}-{graph}.log",
    benchmark:
        "results/benchmarks/discover_graph/{dataset}/seed-{seed}/{chain}-{graph}.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=60,
    params:
        method=lambda w: STUDY.graphs[w.graph].method,
        settings=lambda w: STUDY.graphs[w.graph].settings.canonical(),
    shell:
        "python -m pdgmm step --threads {threads} discover-graph"
        " --method {params.method} --settings {params.settings:q} --dataset {input.dataset:q}"
        " --latents {input.latents:q} --out {output:q} 2> {log:q}"


rule discover_true_graph:
    """Find the causal graph among the true latents: the result that perfect latents would give."""
    input:
        dataset="datasets/{dataset}/seed-{seed}.h5",
        code=tracked(graph_code),
    output:
        "results/{dataset}/seed-{seed}/true_graph-{graph}.json",
    log:
        "results/logs/discover_true_graph/{dataset}/seed-{seed}-{graph}.log",
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=60,
    params:
        method=lambda w: STUDY.graphs[w.graph].method,
        settings=lambda w: STUDY.graphs[w.graph].settings.canonical(),
    shell:
        "python -m pdgmm step --threads {threads} discover-graph"
        " --method {params.method} --settings {params.settings:q} --dataset {input.dataset:q}"
        " --out {output:q} 2> {log:q}"


rule score_graph:
    """Compare the graphs found among learned and among true latents with the true graph."""
    input:
        dataset="datasets/{dataset}/seed-{seed}.h5",
        learned="results/{dataset}/seed-{seed}/{chain}/graph-{graph}.json",
        true_latents="results/{dataset}/seed-{seed}/true_graph-{graph}.json",
        code=tracked(code_of("pdgmm.steps.score_graph")),
    output:
        "results/{dataset}/seed-{seed}/{chain}/graph_scores-{graph}.json",
    log:
        "results/logs/score_graph/{dataset}/seed-{seed}/{chain}-{graph}.log",
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        label=lambda w: STUDY.label(w.chain),
    shell:
        "python -m pdgmm step --threads {threads} score-graph"
        " --dataset {input.dataset:q} --learned {input.learned:q} --true-latents {input.true_latents:q}"
        " --label {params.label:q} --out {output:q} 2> {log:q}"


rule draw_graphs:
    """Draw side by side: the true graph, the graph found among the true latents, and those of the methods."""
    input:
        scores=lambda w: of_first_seed(w.experiment, w.dataset, f"graph_scores-{w.graph}.json"),
        code=tracked(code_of("pdgmm.steps.draw_graphs")),
    output:
        svg="results/figures/{experiment}/{dataset}-graphs-{graph}.svg",
        png=report(
            "results/figures/{experiment}/{dataset}-graphs-{graph}.png",
            caption="../report/graphs.rst",
            category="Causal graphs",
            subcategory="{experiment}",
            labels={"dataset": "{dataset}", "graph method": "{graph}"},
        ),
    log:
        "results/logs/draw_graphs/{experiment}/{dataset}-{graph}.log",
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        stem=subpath(output.svg, strip_suffix=".svg"),
    shell:
        "python -m pdgmm step --threads {threads} draw-graphs"
        " --name {wildcards.graph} --out {params.stem:q} {input.scores:q} 2> {log:q}"
