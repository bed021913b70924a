"""Hosts and what their backends can do."""
