rule draw_supports:
    """Draw an example of the problem: two supports of a three-dimensional mixture, before and after the mixing."""
    input:
        code=tracked(code_of("pdgmm.steps.draw_supports")),
    output:
        svg="results/figures/pdgmm_supports.svg",
        png=report(
            "results/figures/pdgmm_supports.png",
            caption="../report/supports.rst",
            category="Illustrations",
            labels={"figure": "supports of a mixture"},
        ),
    log:
        "results/logs/draw_supports.log",
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        stem=subpath(output.svg, strip_suffix=".svg"),
    shell:
        "python -m pdgmm step --threads {threads} draw-supports --out {params.stem:q} 2> {log:q}"
