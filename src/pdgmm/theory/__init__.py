"""What papers prove, checked by exact computation on models that are small enough for it."""
