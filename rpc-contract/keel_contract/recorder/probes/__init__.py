"""Programs for the interpreter of a real release: they use that release and the standard library alone."""
