"""Sufficient changes over domains and a sparse mixing together: CG-VAE and CG-GAN."""
