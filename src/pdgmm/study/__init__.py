"""From a config to experiments and runs. Nothing here imports torch, so that the workflow is planned quickly."""
