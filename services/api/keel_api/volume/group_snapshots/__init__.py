"""Snapshots of groups."""
