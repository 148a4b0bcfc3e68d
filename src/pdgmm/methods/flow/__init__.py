"""Methods that learn an invertible flow with a tractable log-determinant."""
