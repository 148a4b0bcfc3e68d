"""Invertible maps with tractable log-determinants."""
