"""A user's file in, numbers out, and plain words on what was done to them."""
