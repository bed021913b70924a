"""Cleaning up after services that died."""
