"""What the workflow needs beside Snakemake: code tracking, its commands' environment, GPU slots, a stale lock."""
