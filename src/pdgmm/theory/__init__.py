"""Theorems of papers, checked by exact computation on small models."""
