"""Variational autoencoders: networks, likelihoods, interchangeable priors, the bound, and the training."""
