"""The list of extensions, kept for clients that look for an alias."""
