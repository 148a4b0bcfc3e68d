"""Learning with known components and masks: what is lost by having to infer them."""
