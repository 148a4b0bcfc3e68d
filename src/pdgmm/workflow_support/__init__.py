"""What the workflow needs besides Snakemake: code tracking, the commands' environment, GPU slots, stale locks."""
