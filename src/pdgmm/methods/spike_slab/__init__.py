"""Likelihoods of latents that are often exactly at one value, and the affine maps that maximise them."""
