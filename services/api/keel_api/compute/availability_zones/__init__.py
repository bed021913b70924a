"""Availability zones."""
