"""A study of a user's own data: fitted, checked without any ground truth, and kept in one folder."""
