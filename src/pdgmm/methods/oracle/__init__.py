"""Learning with known components and masks, to see how much is lost by having to infer them."""
