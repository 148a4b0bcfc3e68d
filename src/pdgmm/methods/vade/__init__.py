"""The torch side of the VaDE stages: variational deep embedding (Jiang et al., 2017)."""
