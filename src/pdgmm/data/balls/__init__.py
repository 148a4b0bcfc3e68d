"""Images of coloured balls: where the balls are, and how they are drawn."""
