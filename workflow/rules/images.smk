rule render_balls_dataset:
    """Draw images of balls and keep them as HDF5; the name holds the hash of their settings."""
    input:
        code=tracked(image_code),
    output:
        "datasets/images/{images}/seed-{seed}.h5",
    log:
        "results/logs/render_balls_dataset/{images}/seed-{seed}.log",
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=60,
    params:
        generator=lambda w: images_dataset(w.images).generator,
        settings=lambda w: image_settings(w.images),
    shell:
        "python -m pdgmm step --threads {threads} generate"
        " --generator {params.generator} --settings {params.settings:q}"
        " --seed {wildcards.seed} --out {output:q} 2> {log:q}"


rule train_cnn:
    """Train a convolutional network to draw the images again from a few features."""
    input:
        images="datasets/images/{images}/seed-{seed}.h5",
        code=tracked(features_code),
    output:
        model="results/images/{images}/seed-{seed}/features-{features}/model.safetensors",
        description="results/images/{images}/seed-{seed}/features-{features}/model.json",
        history="results/images/{images}/seed-{seed}/features-{features}/history.csv",
    log:
        "results/logs/train_cnn/{images}/seed-{seed}/{features}.log",
    benchmark:
        "results/benchmarks/train_cnn/{images}/seed-{seed}/{features}.tsv"
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=lambda w, attempt: 4000 * attempt,
        runtime=240,
        gpu=lambda w: STUDY.gpus(STUDY.features[w.features]),
    params:
        method=lambda w: STUDY.features[w.features].method,
        settings=lambda w: STUDY.features[w.features].settings.canonical(),
        folder=subpath(output.model, parent=True),
    shell:
        "python -m pdgmm step --threads {threads} train-features"
        " --method {params.method} --settings {params.settings:q} --dataset {input.images:q}"
        " --seed {wildcards.seed} --out {params.folder:q} 2> {log:q}"


rule extract_cnn_features:
    """Replace images by the features of a network: a dataset like any other. It asks for no GPU and takes none."""
    input:
        images="datasets/images/{images}/seed-{seed}.h5",
        model="results/images/{images}/seed-{seed}/features-{features}/model.safetensors",
        description="results/images/{images}/seed-{seed}/features-{features}/model.json",
        code=tracked(code_of("pdgmm.steps.extract_features", "pdgmm.models.image_model")),
    output:
        "datasets/{images}@{features}/seed-{seed}.h5",
    log:
        "results/logs/extract_cnn_features/{images}@{features}/seed-{seed}.log",
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        folder=subpath(input.model, parent=True),
    shell:
        "python -m pdgmm step --threads {threads} extract-features --device cpu"
        " --images {input.images:q} --model {params.folder:q} --name {wildcards.features}"
        " --out {output:q} 2> {log:q}"


rule draw_balls:
    """Draw images with positions in them, learned pairs against true positions, and what each latent moves."""
    input:
        images=lambda w: first_seed_file(w.experiment, "datasets/images/{images}/seed-{seed}.h5", w.images),
        model=lambda w: first_seed_file(
            w.experiment,
            f"results/images/{{images}}/seed-{{seed}}/features-{w.features}/model.safetensors",
            w.images,
        ),
        description=lambda w: first_seed_file(
            w.experiment,
            f"results/images/{{images}}/seed-{{seed}}/features-{w.features}/model.json",
            w.images,
        ),
        beside_scores=lambda w: models_drawn(w.experiment, f"{w.images}@{w.features}"),
        scores=lambda w: heatmap_inputs(w.experiment, f"{w.images}@{w.features}"),
        code=tracked(code_of("pdgmm.steps.draw_balls", "pdgmm.models.image_model")),
    output:
        svg=expand("results/figures/{{experiment}}/{{images}}@{{features}}-{kind}.svg", kind=BALL_FIGURES),
        png=report(
            expand("results/figures/{{experiment}}/{{images}}@{{features}}-{kind}.png", kind=BALL_FIGURES),
            caption="../report/balls.rst",
            category="Balls",
            subcategory="{experiment}",
            labels={"dataset": "{images}", "features": "{features}"},
        ),
    log:
        "results/logs/draw_balls/{experiment}/{images}@{features}.log",
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        folder=subpath(input.model, parent=True),
        stem=lambda w, output: output.svg[0].removesuffix(f"-{BALL_FIGURES[0]}.svg"),
    shell:
        "python -m pdgmm step --threads {threads} draw-balls"
        " --images {input.images:q} --features {params.folder:q} --out {params.stem:q}"
        " {input.scores:q} 2> {log:q}"


rule balls:
    """Every experiment on images: its tables and figures."""
    input:
        results_of_experiments([name for name in STUDY.experiments if STUDY.experiments[name].on_images]),
