"""Variational autoencoders: networks, likelihoods, priors that can be exchanged, their bound, and their training."""
