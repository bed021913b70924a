"""Quota sets of projects and users."""
