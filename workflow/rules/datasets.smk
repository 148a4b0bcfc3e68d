rule generate_dataset:
    """Draw a dataset and write it as HDF5; its name contains a hash of its settings."""
    input:
        own_file=lambda w: own_file_of(w.dataset),
        code=tracked(generator_code),
    output:
        "datasets/{dataset}/seed-{seed}.h5",
    log:
        "results/logs/generate_dataset/{dataset}/seed-{seed}.log",
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=60,
    params:
        generator=lambda w: STUDY.datasets[w.dataset].generator,
        settings=lambda w: STUDY.datasets[w.dataset].settings.canonical(),
    shell:
        "python -m pdgmm step --threads {threads} generate"
        " --generator {params.generator} --settings {params.settings:q}"
        " --seed {wildcards.seed} --out {output:q} 2> {log:q}"
