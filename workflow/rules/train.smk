rule train_stage1:
    """Fit the first part of a chain to a dataset's training samples. A chain may have one part only."""
    input:
        dataset="datasets/{dataset}/seed-{seed}.h5",
        code=tracked(method_code),
    output:
        model="results/{dataset}/seed-{seed}/{part}/model.safetensors",
        description="results/{dataset}/seed-{seed}/{part}/model.json",
        history="results/{dataset}/seed-{seed}/{part}/history.csv",
    log:
        "results/logs/train_stage1/{dataset}/seed-{seed}/{part}.log",
    benchmark:
        "results/benchmarks/train_stage1/{dataset}/seed-{seed}/{part}.tsv"
    priority: long_fits_first
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=lambda w, attempt: 4000 * attempt,
        runtime=240,
        gpu=lambda w: STUDY.gpus(w.part),
    params:
        method=lambda w: STUDY.methods[w.part].method,
        settings=lambda w: STUDY.methods[w.part].settings.canonical(),
        folder=subpath(output.model, parent=True),
    shell:
        "python -m pdgmm step --threads {threads} train-stage1"
        " --method {params.method} --settings {params.settings:q} --dataset {input.dataset:q}"
        " --seed {wildcards.seed} --out {params.folder:q} 2> {log:q}"


rule train_stage2:
    """Fit a later part of a chain to the code of the part before it."""
    input:
        dataset="datasets/{dataset}/seed-{seed}.h5",
        before="results/{dataset}/seed-{seed}/{before}/code.h5",
        code=tracked(method_code),
    output:
        model="results/{dataset}/seed-{seed}/{before}+{part}/model.safetensors",
        description="results/{dataset}/seed-{seed}/{before}+{part}/model.json",
        history="results/{dataset}/seed-{seed}/{before}+{part}/history.csv",
    log:
        "results/logs/train_stage2/{dataset}/seed-{seed}/{before}+{part}.log",
    benchmark:
        "results/benchmarks/train_stage2/{dataset}/seed-{seed}/{before}+{part}.tsv"
    priority: long_fits_first
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=lambda w, attempt: 4000 * attempt,
        runtime=240,
        gpu=lambda w: STUDY.gpus(w.part),
    params:
        method=lambda w: STUDY.methods[w.part].method,
        settings=lambda w: STUDY.methods[w.part].settings.canonical(),
        folder=subpath(output.model, parent=True),
    shell:
        "python -m pdgmm step --threads {threads} train-stage2"
        " --method {params.method} --settings {params.settings:q} --dataset {input.dataset:q}"
        " --code {input.before:q} --seed {wildcards.seed} --out {params.folder:q} 2> {log:q}"


rule encode_training:
    """Encode the training samples, for the next part of a chain."""
    input:
        dataset="datasets/{dataset}/seed-{seed}.h5",
        model="results/{dataset}/seed-{seed}/{chain}/model.safetensors",
        description="results/{dataset}/seed-{seed}/{chain}/model.json",
        before=lambda w: codes_before(w, "code.h5"),
        code=tracked(encoding_code),
    output:
        "results/{dataset}/seed-{seed}/{chain}/code.h5",
    log:
        "results/logs/encode_training/{dataset}/seed-{seed}/{chain}.log",
    priority: 1
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        folder=subpath(input.model, parent=True),
        before=lambda w, input: before_option(input),
    shell:
        "python -m pdgmm step --threads {threads} encode --training"
        " --model {params.folder:q} --dataset {input.dataset:q} {params.before} --out {output:q} 2> {log:q}"


rule encode:
    """Encode the held-out samples with a chain: its last part encodes the code of the part before it."""
    input:
        dataset="datasets/{dataset}/seed-{seed}.h5",
        model="results/{dataset}/seed-{seed}/{chain}/model.safetensors",
        description="results/{dataset}/seed-{seed}/{chain}/model.json",
        before=lambda w: codes_before(w, "latents.h5"),
        code=tracked(encoding_code),
    output:
        "results/{dataset}/seed-{seed}/{chain}/latents.h5",
    log:
        "results/logs/encode/{dataset}/seed-{seed}/{chain}.log",
    priority: 1
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        folder=subpath(input.model, parent=True),
        before=lambda w, input: before_option(input),
    shell:
        "python -m pdgmm step --threads {threads} encode"
        " --model {params.folder:q} --dataset {input.dataset:q} {params.before} --out {output:q} 2> {log:q}"
