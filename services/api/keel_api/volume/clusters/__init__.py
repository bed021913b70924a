"""Clusters of volume services."""
