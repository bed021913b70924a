"""Flavors, their extra specs and access to private ones."""
