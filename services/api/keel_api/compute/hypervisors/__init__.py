"""Hypervisors: the nodes that computes report."""
