"""The identifiable VAE (Khemakhem et al., 2020)."""
