"""What papers published: a folder each, with `paper.yaml` and `published.csv`."""
