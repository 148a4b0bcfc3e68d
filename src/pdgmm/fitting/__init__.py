"""What methods share: samples, the training loop, learners, checkpoints, devices."""
