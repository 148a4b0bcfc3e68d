"""A user's own data: read, fitted, checked without any ground truth, and shown on one page."""
