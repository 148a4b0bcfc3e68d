"""Diverse dictionary learning (Zheng et al., 2026): decoders with a sparse Jacobian, and their rivals."""
