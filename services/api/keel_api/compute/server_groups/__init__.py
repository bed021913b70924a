"""Server groups: which servers belong together or apart."""
