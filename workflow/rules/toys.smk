rule search_likelihood:
    """Find all models of a grid whose exact likelihood equals that of the true model."""
    input:
        code=tracked(code_of("pdgmm.steps.search_likelihood")),
    output:
        csv="results/toys/{toy}.csv",
        markdown=report(
            "results/toys/{toy}.md",
            caption="../report/likelihood_toy.rst",
            category="Toys",
            labels={"toy": "{toy}", "what": "minimisers of the exact likelihood"},
        ),
    log:
        "results/logs/search_likelihood/{toy}.log",
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        settings=lambda w: toy_settings(w.toy),
        stem=subpath(output.csv, strip_suffix=".csv"),
    shell:
        "python -m pdgmm step --threads {threads} search-likelihood"
        " --settings {params.settings:q} --out {params.stem:q} 2> {log:q}"


rule draw_likelihood:
    """Draw the exact likelihood along single parameters that give it several minima."""
    input:
        code=tracked(code_of("pdgmm.steps.draw_likelihood")),
    output:
        svg="results/toys/{toy}.svg",
        png=report(
            "results/toys/{toy}.png",
            caption="../report/likelihood_toy.rst",
            category="Toys",
            labels={"toy": "{toy}", "what": "likelihood along one parameter"},
        ),
    log:
        "results/logs/draw_likelihood/{toy}.log",
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        settings=lambda w: toy_settings(w.toy),
        stem=subpath(output.svg, strip_suffix=".svg"),
    shell:
        "python -m pdgmm step --threads {threads} draw-likelihood"
        " --settings {params.settings:q} --out {params.stem:q} 2> {log:q}"
