"""What papers published: one folder per paper, with `paper.yaml` and `published.csv`."""
