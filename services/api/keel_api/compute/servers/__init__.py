"""Servers of the compute API: create, list, show, update, delete."""
