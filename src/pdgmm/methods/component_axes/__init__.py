"""From an affine map of the latents to single latents, by the covariances of a mixture's components."""
