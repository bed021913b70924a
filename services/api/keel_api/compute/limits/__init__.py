"""Limits: what a project may use and what it uses."""
