"""Everything that a logdir holds, written out."""
