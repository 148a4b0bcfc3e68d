rule train_stage1:
    """Fit a stage 1 to a dataset's training observations."""
    input:
        dataset="datasets/{dataset}/seed-{seed}.h5",
        code=tracked(stage1_code),
    output:
        model="results/{dataset}/seed-{seed}/{stage1}/model.safetensors",
        description="results/{dataset}/seed-{seed}/{stage1}/model.json",
        history="results/{dataset}/seed-{seed}/{stage1}/history.csv",
    log:
        "results/logs/train_stage1/{dataset}/seed-{seed}/{stage1}.log",
    benchmark:
        "results/benchmarks/train_stage1/{dataset}/seed-{seed}/{stage1}.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=lambda w, attempt: 4000 * attempt,
        runtime=240,
        gpu=lambda w: STUDY.gpus(STUDY.stage1[w.stage1]),
    params:
        method=lambda w: STUDY.stage1[w.stage1].method,
        settings=lambda w: STUDY.stage1[w.stage1].settings.canonical(),
        folder=subpath(output.model, parent=True),
    shell:
        "python -m pdgmm step --threads {threads} train-stage1"
        " --method {params.method} --settings {params.settings:q} --dataset {input.dataset:q}"
        " --seed {wildcards.seed} --out {params.folder:q} 2> {log:q}"


rule train_stage2:
    """Fit a stage 2 to the codes of a stage 1, and encode the held-out samples with both."""
    input:
        dataset="datasets/{dataset}/seed-{seed}.h5",
        stage1="results/{dataset}/seed-{seed}/{stage1}/model.safetensors",
        stage1_description="results/{dataset}/seed-{seed}/{stage1}/model.json",
        code=tracked(stage2_code),
    output:
        model="results/{dataset}/seed-{seed}/{stage1}+{stage2}/model.safetensors",
        description="results/{dataset}/seed-{seed}/{stage1}+{stage2}/model.json",
        history="results/{dataset}/seed-{seed}/{stage1}+{stage2}/history.csv",
        latents="results/{dataset}/seed-{seed}/{stage1}+{stage2}/latents.h5",
    log:
        "results/logs/train_stage2/{dataset}/seed-{seed}/{stage1}+{stage2}.log",
    benchmark:
        "results/benchmarks/train_stage2/{dataset}/seed-{seed}/{stage1}+{stage2}.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=lambda w, attempt: 4000 * attempt,
        runtime=240,
        gpu=lambda w: STUDY.gpus(STUDY.stage2[w.stage2]),
    params:
        method=lambda w: STUDY.stage2[w.stage2].method,
        settings=lambda w: STUDY.stage2[w.stage2].settings.canonical(),
        stage1=subpath(input.stage1, parent=True),
        folder=subpath(output.model, parent=True),
    shell:
        "python -m pdgmm step --threads {threads} train-stage2"
        " --method {params.method} --settings {params.settings:q} --dataset {input.dataset:q}"
        " --stage1 {params.stage1:q} --seed {wildcards.seed} --out {params.folder:q} 2> {log:q}"
