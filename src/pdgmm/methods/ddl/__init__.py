"""Diverse dictionary learning (Zheng et al., 2026): VAEs whose decoder has a sparse Jacobian, and their rivals."""
