"""Rows of the databases as versioned objects: only where a message leaves the house."""
