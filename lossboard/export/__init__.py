"""Export of a logdir to files."""
