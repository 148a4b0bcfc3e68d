rule score:
    """Compare a method's latents with the truth, on every held-out split."""
    input:
        dataset="datasets/{dataset}/seed-{seed}.h5",
        latents="results/{dataset}/seed-{seed}/{chain}/latents.h5",
        code=tracked(code_of("pdgmm.steps.score", *METRICS_CODE)),
    output:
        "results/{dataset}/seed-{seed}/{chain}/scores.json",
    log:
        "results/logs/score/{dataset}/seed-{seed}/{chain}.log",
    priority: 1
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        label=lambda w: STUDY.label(w.chain),
    shell:
        "python -m pdgmm step --threads {threads} score"
        " --dataset {input.dataset:q} --latents {input.latents:q}"
        " --label {params.label:q} --out {output:q} 2> {log:q}"
