"""Sparse affine maps by gradient descent: stage 2 of Xu, Lachapelle and Magliacane (2026), and its ablation."""
