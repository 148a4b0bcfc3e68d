rule draw_balls:
    """Draw images with true and recovered positions, pairs of learned latents, and what each latent moves."""
    input:
        images=lambda w: f"datasets/{w.dataset}/seed-{first_seed(w.experiment)}.h5",
        beside_scores=lambda w: models_drawn(w.experiment, w.dataset, w.reader),
        scores=lambda w: scores_drawn(w.experiment, w.dataset, w.reader),
        code=tracked(reader_code),
    output:
        svg=expand("results/figures/{{experiment}}/{{dataset}}-{{reader}}-{kind}.svg", kind=BALL_FIGURES),
        png=report(
            expand("results/figures/{{experiment}}/{{dataset}}-{{reader}}-{kind}.png", kind=BALL_FIGURES),
            caption="../report/balls.rst",
            category="Balls",
            subcategory="{experiment}",
            labels={"dataset": "{dataset}", "features": "{reader}"},
        ),
    log:
        "results/logs/draw_balls/{experiment}/{dataset}-{reader}.log",
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        stem=lambda w, output: output.svg[0].removesuffix(f"-{BALL_FIGURES[0]}.svg"),
    shell:
        "python -m pdgmm step --threads {threads} draw-balls"
        " --images {input.images:q} --out {params.stem:q} {input.scores:q} 2> {log:q}"


rule balls:
    """The tables and figures of all experiments on images."""
    input:
        results_of_experiments([name for name in STUDY.experiments if STUDY.experiments[name].on_images]),
