"""Texts that people type: tokens, errors with a place in the text, the nearest name to a misspelled one."""
