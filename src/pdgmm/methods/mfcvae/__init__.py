"""The multi-facet clustering VAE (Falck et al., 2021)."""
