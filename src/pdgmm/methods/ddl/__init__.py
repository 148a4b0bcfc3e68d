"""Diverse dictionary learning (Zheng et al., 2026): sparse Jacobians of decoders, by VAEs, their rivals, and exactly."""
