"""Rules without input or output: standard library alone."""
