"""The page on which a user reads what was found: five questions, each with its verdict."""
