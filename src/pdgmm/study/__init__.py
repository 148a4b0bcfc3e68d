"""From a config to experiments and runs. Nothing here imports torch: the workflow is planned with it."""
