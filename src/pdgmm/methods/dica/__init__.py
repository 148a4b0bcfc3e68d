"""Diverse influence component analysis: latents whose influences on the observations differ most."""
