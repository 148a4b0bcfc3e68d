"""A user's own data: a path in, numbers out, and plain words on what was done to them.

Nothing is imported here: the command line takes its options from this package, and no step of the workflow should
wait for what the readers need.
"""
