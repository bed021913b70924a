"""Metadata of a server."""
