"""Variational deep embedding (Jiang et al., 2017)."""
