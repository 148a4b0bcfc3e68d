"""Networks that read images and draw them again: their codes are features for other methods."""
